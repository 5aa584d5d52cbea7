#include "tests/differential/tile_units_bf16_k.cpp"
#include "tests/differential/tile_units_bf16_mn.cpp"
