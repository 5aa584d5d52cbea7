// The shapes that each configuration has to get right: what goes wrong in a matmul goes wrong at
// edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "matmul/catalog.h"

namespace ladder {

struct Shape {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

/// 1, 300 and every `step`th square between, the last of each ten included.
inline std::vector<Shape> squares(int step) {
  std::vector<Shape> shapes;
  for (std::int64_t extent = 1; extent < 300; extent += step) {
    shapes.push_back({extent, extent, extent});
  }
  shapes.push_back({300, 300, 300});
  return shapes;
}

/// One dimension at a time just below, at and just above the tile, the others whole.
inline std::vector<Shape> tails(const warpline::MatmulKernel& kernel) {
  std::vector<Shape> shapes;
  const std::int64_t m = kernel.block_m;
  const std::int64_t n = kernel.block_n;
  const std::int64_t k = 2 * kernel.block_k;
  for (const int off : {-1, 0, 1}) {
    shapes.push_back({m + off, n, k});
    shapes.push_back({2 * m + off, n, k});
    shapes.push_back({m, n + off, k});
    shapes.push_back({m, 2 * n + off, k});
    shapes.push_back({m, n, k + off});
  }
  shapes.push_back({m + 1, n + 1, k + 1});
  shapes.push_back({1, n, k});
  shapes.push_back({m, 1, k});
  shapes.push_back({m, n, 1});
  return shapes;
}

/// Tiles of K below, at and above the stages, and once more around the ring.
inline std::vector<Shape> around_stages(const warpline::MatmulKernel& kernel) {
  std::vector<Shape> shapes;
  const std::int64_t s = kernel.stages;
  for (const std::int64_t tiles : {std::int64_t{1}, s - 1, s, s + 1, 2 * s, 2 * s + 1}) {
    if (tiles > 0) {
      shapes.push_back({kernel.block_m + 3, 40, tiles * kernel.block_k});
      shapes.push_back({20, kernel.block_n + 5, tiles * kernel.block_k - 7});
    }
  }
  return shapes;
}

inline std::vector<Shape> empty_shapes() {
  return {{128, 128, 0}, {5, 3, 0}, {0, 128, 64}, {128, 0, 64}, {0, 0, 0}};
}

inline std::vector<Shape> random_shapes(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(1 + random() % limit);
  };
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    const std::int64_t m = up_to(300);
    const std::int64_t n = up_to(300);
    shapes.push_back({m, n, up_to(400)});
  }
  return shapes;
}

/// Each `parts`th shape, from the `part`th, counted from 1.
inline std::vector<Shape> part_of(const std::vector<Shape>& shapes, int part, int parts) {
  std::vector<Shape> some;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i % static_cast<std::size_t>(parts) == static_cast<std::size_t>(part - 1)) {
      some.push_back(shapes[i]);
    }
  }
  return some;
}

/// `set` as in the program's --shapes.
inline std::vector<Shape> shapes_of(const std::string& set, const warpline::MatmulKernel& kernel,
                                    std::uint64_t seed) {
  std::vector<Shape> shapes;
  const auto add = [&](const char* name, const std::vector<Shape>& more) {
    if (set == name || set == "all") {
      shapes.insert(shapes.end(), more.begin(), more.end());
    }
  };
  add("squares", squares(13));
  add("tails", tails(kernel));
  add("stages", around_stages(kernel));
  add("empty", empty_shapes());
  add("random", random_shapes(64, seed));
  return shapes;
}

}  // namespace ladder
