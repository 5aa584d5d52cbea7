#include "tests/differential/tile_units_fp16_k.cpp"
#include "tests/differential/tile_units_fp16_mn.cpp"
