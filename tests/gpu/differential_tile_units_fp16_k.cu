#include "tests/differential/tile_units_fp16_k.cpp"
