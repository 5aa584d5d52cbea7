#include "tests/warpline/pipeline_transform.cpp"
