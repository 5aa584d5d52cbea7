#include "tests/differential/tile_units_bf16_mn.cpp"
