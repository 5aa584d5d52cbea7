#include "tests/warpline/pipeline_early_exit.cpp"
