#include "tests/warpline/pipeline_loops.cpp"
