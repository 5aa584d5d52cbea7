#include "tests/warpline/reduce.cpp"
