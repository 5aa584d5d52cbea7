#include "tests/differential/tiles.cpp"
