#include "tests/differential/wgmma.cpp"
