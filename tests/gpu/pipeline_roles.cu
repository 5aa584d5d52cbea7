#include "tests/warpline/pipeline_roles.cpp"
