// warpline::rms_norm and warpline::layer_norm, of h = x or h = x + residual:
//
//   rms_norm     y = h / sqrt(mean(h^2) + epsilon) * weight + bias
//   layer_norm   y = (h - mean(h)) / sqrt(mean((h - mean(h))^2) + epsilon) * weight + bias
//
//   warpline::rms_norm(stream, y, x, {.weight = w});                 // queued on a cudaStream_t
//   auto plan = warpline::layer_norm_plan(stream, y, x, {.weight = w, .bias = b});
//   plan.run(stream);                                                // only launches
#pragma once

#include "rows/plan.h"

namespace warpline {

/// y as e4m3 numbers of 8 bits, with a scale for each row: the most that its numbers can be is 448.
struct NormFp8 {
  /// Row r begins r * row_stride bytes on. No address: not wanted.
  std::uint8_t* data = nullptr;
  std::int64_t row_stride = 0;
  /// scales[r] = max(largest magnitude of row r, 2^-100) / 448; y is about number * scale: y /
  /// scale rounded to nearest, ties to even.
  float* scales = nullptr;
};

struct NormOptions {
  /// One row of x's columns each; no address: ones, zeros.
  Matrix weight = {};
  Matrix bias = {};
  float epsilon = 1e-5f;
  /// Added to x; of x's type and extents. No address: none.
  Matrix residual = {};
  /// With a residual: where h = x + residual goes, rounded; the norm is taken of the unrounded h.
  /// No address: nowhere. May be x or residual where all falls on 16 bytes.
  MutableMatrix sum = {};
  /// One fp32 number for each row, if not null: 1 / sqrt(...), and layer_norm's mean. A backward
  /// pass wants them.
  float* rstd = nullptr;
  float* mean = nullptr;
  /// Beside y, or instead of it: then y has no address.
  NormFp8 fp8 = {};
};

/// x: rows of 1 to 262,144 elements, fp16, bf16 or fp32; y of the same extents; y, weight and bias
/// of any of these types. Sums in fp32. Any stride and address that the element types allow; where
/// all fall on 16 bytes the kernel is faster, and y may be x. A row with NaN or infinities becomes
/// NaN (its scale, too); squares beyond 3.4e38 in sum make rms_norm's row 0. No rows or no columns:
/// nothing to do.
/// Throws Error naming operand, value and rule, and then nothing was launched.
PreparedRows rms_norm_plan(const Place& place, const MutableMatrix& y, const Matrix& x,
                           const NormOptions& options = {});
PreparedRows layer_norm_plan(const Place& place, const MutableMatrix& y, const Matrix& x,
                             const NormOptions& options = {});

/// The same, made ready and run.
void rms_norm(const Place& place, const MutableMatrix& y, const Matrix& x,
              const NormOptions& options = {});
void layer_norm(const Place& place, const MutableMatrix& y, const Matrix& x,
                const NormOptions& options = {});

}  // namespace warpline
