#include "tests/differential/tensor_load.cpp"
