#include "tests/differential/wgmma_units_3.cpp"
