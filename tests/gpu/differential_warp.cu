#include "tests/differential/warp.cpp"
