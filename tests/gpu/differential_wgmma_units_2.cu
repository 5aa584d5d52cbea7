#include "tests/differential/wgmma_units_2.cpp"
#include "tests/differential/wgmma_units_3.cpp"
