#include "tests/warpline/tensor_map_errors.cpp"
