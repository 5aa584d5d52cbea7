#include "tests/warpline/pipeline_cluster.cpp"
