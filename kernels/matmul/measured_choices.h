// The fastest kernels of shapes that were measured on the H200. Knows neither target.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "matmul/call.h"

namespace warpline {

/// Of row-major D of A's type, without an epilogue; one problem.
struct MeasuredChoice {
  ElementType type;
  bool a_row_major;
  bool b_row_major;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  const char* kernel;
  int splits;
  int raster;
};

struct FoundChoice {
  const MeasuredChoice* choice;
  bool exact;
};

/// sqrt of the sum of ln(a / b)^2 over M, N and K, as the tuner has it: 0.2 is a factor of 1.22 in
/// one of them.
inline constexpr double nearest_limit = 0.2;

/// The row of this shape, else of the nearest one, if that is near enough for the same kernel to be
/// a good guess (nearest_limit); nothing for calls of another kind.
std::optional<FoundChoice> find_measured_choice(const MatmulCall& call,
                                                std::span<const MeasuredChoice> rows);

/// The rows that come with the library (measured_choices.inc).
std::span<const MeasuredChoice> measured_choices();

}  // namespace warpline
