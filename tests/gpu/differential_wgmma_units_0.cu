#include "tests/differential/wgmma_units_0.cpp"
#include "tests/differential/wgmma_units_1.cpp"
