#include "matmul/measured_choices.h"

#include <cmath>
#include <vector>

namespace warpline {

namespace {

double distance(const MeasuredChoice& row, const MatmulCall& call) {
  const auto square = [](std::int64_t a, std::int64_t b) {
    const double ratio = std::log(static_cast<double>(a) / static_cast<double>(b));
    return ratio * ratio;
  };
  return std::sqrt(square(row.m, call.m) + square(row.n, call.n) + square(row.k, call.k));
}

bool row_major(const Matrix& matrix) { return matrix.column_stride == 1 || matrix.columns == 1; }

}  // namespace

std::optional<FoundChoice> find_measured_choice(const MatmulCall& call,
                                                std::span<const MeasuredChoice> rows) {
  if (call.steps > 0 || call.problems != 1 || call.d.type != call.a.type ||
      (call.d.column_stride != 1 && call.d.columns > 1)) {
    return std::nullopt;
  }
  const MeasuredChoice* nearest = nullptr;
  double least = nearest_limit;
  for (const MeasuredChoice& row : rows) {
    if (row.type != call.a.type || row.a_row_major != row_major(call.a) ||
        row.b_row_major != row_major(call.b)) {
      continue;
    }
    const double found = distance(row, call);
    if (found <= least) {
      least = found;
      nearest = &row;
    }
  }
  if (nearest == nullptr) {
    return std::nullopt;
  }
  return FoundChoice{nearest, least == 0};
}

std::span<const MeasuredChoice> measured_choices() {
  constexpr ElementType fp16 [[maybe_unused]] = ElementType::fp16;
  constexpr ElementType bf16 [[maybe_unused]] = ElementType::bf16;
  static const std::vector<MeasuredChoice> rows = {
#include "matmul/measured_choices.inc"
  };
  return rows;
}

}  // namespace warpline
