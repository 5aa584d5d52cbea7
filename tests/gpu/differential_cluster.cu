#include "tests/differential/cluster.cpp"
