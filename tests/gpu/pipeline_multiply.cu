#include "tests/warpline/pipeline_multiply.cpp"
