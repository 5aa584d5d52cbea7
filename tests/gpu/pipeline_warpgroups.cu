#include "tests/warpline/pipeline_warpgroups.cpp"
