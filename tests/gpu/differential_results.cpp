// Shared with the simulator's tests.
#include "tests/differential/results.cpp"
