// A call of warpline::matmul, checked: what its kernels may rely on. Knows neither target.
#pragma once

#include <cstdint>

#include "matmul/matmul.h"
#include "matmul/target.h"

namespace warpline {

/// Kernels count rows and columns, tiles beyond the edge included, in 32 bits.
inline constexpr std::int64_t largest_extent = 0x7fff'0000;

struct MatmulCall {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  /// Problems, and how many of them one launch computes.
  std::int64_t problems = 0;
  std::int64_t batch = 0;
  /// An operand is an array of addresses: each problem is a launch.
  bool one_by_one = false;
  Matrix a;
  Matrix b;
  MutableMatrix d;
  float alpha = 1;
  /// beta * C first.
  int steps = 0;
  EpilogueStep step[max_epilogue_steps];
  /// Where the steps' matrices are arrays of addresses: only C, the first step.
  const void* const* c_addresses = nullptr;

  bool empty() const { return m == 0 || n == 0 || problems == 0; }
};

/// Throws Error naming operand, value and rule.
MatmulCall checked_call(const MatmulTarget& target, int device, const MutableMatrix& d,
                        const Matrix& a, const Matrix& b, const MatmulOptions& options);

/// The call of one problem alone, of operands that are arrays of addresses or have batch strides.
MatmulCall problem_of(const MatmulCall& call, std::int64_t index);

}  // namespace warpline
