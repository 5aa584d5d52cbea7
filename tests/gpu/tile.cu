#include "tests/warpline/tile.cpp"
