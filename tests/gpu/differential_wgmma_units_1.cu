#include "tests/differential/wgmma_units_1.cpp"
