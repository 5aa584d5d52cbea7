#include "tests/differential/wgmma_units_0.cpp"
