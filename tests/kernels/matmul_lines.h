// What every line of the matmul table must do, on either target: exact results on small integers,
// whatever shape, split and batch.
#pragma once

#include "tests/kernels/matmul_task_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

inline std::string name_of(const MatmulLine& line) {
  return std::string(name_of(line.type)) + " " + line.name +
         (line.a == Contiguous::k ? ", A of contiguous K" : ", A of contiguous M") +
         (line.b == Contiguous::k ? ", B of contiguous K" : ", B of contiguous N");
}

/// The extent of D that is contiguous must be a multiple of 8 for lines that store by copies.
inline TaskShape storable(const MatmulLine& line, TaskShape shape) {
  std::int64_t& extent = line.leave == Leave::copies_transposed ? shape.m : shape.n;
  if (line.leave != Leave::threads) {
    extent = (extent + 7) / 8 * 8;
  }
  return taken_by(line, shape);
}

inline void check_task(const MatmulLine& line, const TaskShape& wanted, unsigned seed,
                       const Place& place) {
  const TaskShape shape = storable(line, wanted);
  INFO(name_of(line) << ": " << to_string(shape) << ", seed " << seed);
  TaskCase problem(line, shape, seed);
  // Twice: the workspace must be left as it was found.
  for (int run = 0; run < (problem.cuts_k() ? 2 : 1); ++run) {
    problem.run(place);
    REQUIRE(problem.error().empty());
    REQUIRE(problem.workspace_is_clean());
  }
}

inline TaskShape random_task(std::mt19937& random, std::int64_t largest, std::int64_t largest_k) {
  const auto up_to = [&](std::int64_t limit) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  return {.m = up_to(largest),
          .n = up_to(largest),
          .k = up_to(largest_k),
          .batch = random() % 4 == 0 ? up_to(3) : 1,
          .splits = random() % 2 == 0   ? static_cast<int>(up_to(4))
                    : random() % 2 == 0 ? stream_k
                                        : 1,
          .any_order = random() % 2 == 0,
          .raster = random() % 4 == 0 ? hilbert_raster : static_cast<int>(up_to(4)),
          .max_ctas = random() % 3 == 0 ? static_cast<int>(up_to(6)) : 0,
          .shared_a = random() % 4 == 0,
          .shared_b = random() % 4 == 0,
          .alpha = random() % 4 == 0 ? 0.5f : 1.0f};
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
