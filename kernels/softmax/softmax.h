// warpline::softmax: y[r][c] = exp(t[r][c]) / sum over c of exp(t[r][c]), t = x * scale + mask; and
// warpline::softmax_backward: dx from y and dy.
//
//   warpline::softmax(stream, y, x);                                 // queued on a cudaStream_t
//   warpline::softmax(warpline::simulator::Options{}, y, x);         // simulated, checked
//
//   auto plan = warpline::softmax_plan(stream, y, x, {.logarithm = true});
//   plan.run(stream);                                                // only launches
//
//   warpline::softmax_backward(stream, dx, y, dy);
#pragma once

#include "rows/plan.h"

namespace warpline {

struct SoftmaxOptions {
  float scale = 1;
  /// y = t - log(sum of exp(t)) instead.
  bool logarithm = false;
  /// Added to x * scale: as many columns as x; row r of x takes row r % mask.rows. No address: no
  /// mask. -inf leaves an element out.
  Matrix mask = {};
  /// Row r, of sequences of `causal_rows` rows (0: all rows), keeps its first
  /// r % causal_rows + causal_offset + 1 elements; what is left out becomes 0 (or -inf).
  bool causal = false;
  std::int64_t causal_rows = 0;
  std::int64_t causal_offset = 0;
};

/// x: rows of 1 to 262,144 elements, fp16, bf16 or fp32; y of the same extents, any of these types.
/// Sums in fp32. Any stride and address that the element types allow; where all fall on 16 bytes
/// the kernel is faster, and y may be x. A row with NaN or +inf, or with nothing but -inf, becomes
/// NaN. No rows or no columns: nothing to do. Throws Error naming operand, value and rule, and then
/// nothing was launched.
PreparedRows softmax_plan(const Place& place, const MutableMatrix& y, const Matrix& x,
                          const SoftmaxOptions& options = {});

/// The same, made ready and run.
void softmax(const Place& place, const MutableMatrix& y, const Matrix& x,
             const SoftmaxOptions& options = {});

struct SoftmaxBackwardOptions {
  /// The forward pass's.
  float scale = 1;
  bool logarithm = false;
};

/// The gradient with respect to x, of dy's with respect to y, which softmax has made:
///
///   softmax        dx = y * (dy - sum(dy * y)) * scale
///   its logarithm  dx = (dy - exp(y) * sum(dy)) * scale
///
/// y and dy of one type and extents; dx of the same extents, any type. A mask and what causality
/// leaves out are in y: elements of 0 get 0 if their dy is finite (else the row becomes NaN); those
/// of -inf (logarithm) get 0 and their dy is not in the sum, whatever it is. A NaN in dy or in
/// softmax's y makes its row NaN, in the logarithm's y its element. Lengths, strides and errors as
/// above; dx may be y or dy where all falls on 16 bytes.
PreparedRows softmax_backward_plan(const Place& place, const MutableMatrix& dx, const Matrix& y,
                                   const Matrix& dy, const SoftmaxBackwardOptions& options = {});

/// The same, made ready and run.
void softmax_backward(const Place& place, const MutableMatrix& dx, const Matrix& y,
                      const Matrix& dy, const SoftmaxBackwardOptions& options = {});

}  // namespace warpline
