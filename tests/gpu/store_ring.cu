#include "tests/warpline/store_ring.cpp"
