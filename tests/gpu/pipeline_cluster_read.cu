#include "tests/warpline/pipeline_cluster_read.cpp"
