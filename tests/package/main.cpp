// Compiled by the C++ compiler alone, so for the simulator.
#include <warpline/target.h>

#include <cstdio>

static_assert(!warpline::on_gpu);

int main() { std::puts("built outside"); }
