#include "tests/differential/wgmma_units_2.cpp"
