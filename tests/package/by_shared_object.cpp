// A program that knows nothing of Warpline.
#include <cstdio>

extern "C" int multiply_ones();

int main() {
  std::puts(multiply_ones() != 0 ? "contained" : "wrong product");
  return 0;
}
