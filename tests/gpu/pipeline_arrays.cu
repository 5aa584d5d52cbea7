#include "tests/warpline/pipeline_arrays.cpp"
