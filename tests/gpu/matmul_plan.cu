#include "tests/kernels/matmul_plan.cpp"
