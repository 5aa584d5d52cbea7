#include "tests/warpline/cluster_results.cpp"
