// The row shapes that are measured, and what moves in each.
#pragma once

#include <cstdint>

namespace sample::rows {

struct Shape {
  std::int64_t rows;
  std::int64_t columns;
};

/// Twenty shapes of 2 MB to 470 MB in 16-bit numbers: short rows to the longest, one that is no
/// multiple of 16 bytes (a vocabulary).
inline constexpr Shape suite[] = {{1048576, 64}, {524288, 128},  {262144, 256}, {131072, 512},
                                  {65536, 1024}, {131072, 1024}, {32768, 2048}, {16384, 4096},
                                  {32768, 4096}, {16384, 5120},  {8192, 8192},  {16384, 8192},
                                  {4096, 16384}, {8192, 16384},  {8192, 28672}, {4096, 50257},
                                  {2048, 65536}, {1024, 131072}, {512, 262144}, {1024, 1024}};

}  // namespace sample::rows
