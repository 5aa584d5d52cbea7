#include "tests/differential/tensor_store.cpp"
