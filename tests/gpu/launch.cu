#include "tests/warpline/launch.cpp"
