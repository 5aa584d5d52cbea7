// warpline::rms_norm_backward and warpline::layer_norm_backward: the gradients of norm.h's calls.
// With x' = (h - mean) * rstd (RMSNorm: h * rstd), g = dy * weight, means over a row's columns:
//
//   rms_norm     dx = rstd * (g - x' * mean(g * x')) + dsum
//   layer_norm   dx = rstd * (g - mean(g) - x' * mean(g * x')) + dsum
//   both         dweight = sum over the rows of dy * x',   dbias = sum over the rows of dy
//
//   warpline::rms_norm(stream, y, x, {.weight = w, .rstd = rstd});
//   warpline::rms_norm_backward(stream, dx, dy, x, rstd, {.weight = w, .dweight = dw});
//
// Where the forward pass has added a residual, h is what it has stored as `sum`, dsum the gradient
// that comes to the sum from elsewhere, and dx the gradient of both summands.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "rows/plan.h"

namespace warpline {

struct NormBackwardOptions {
  /// The forward pass' weight: one row, fp16, bf16 or fp32. No address: ones.
  Matrix weight = {};
  /// Added to dx; of x's type and extents. No address: zeros.
  Matrix dsum = {};
  /// One row each, fp16, bf16 or fp32, which is overwritten. No address: not wanted.
  MutableMatrix dweight = {};
  MutableMatrix dbias = {};
  /// Memory for sums of a part of the rows (PreparedNormBackward::workspace_bytes), on 16 bytes,
  /// which the caller keeps until the run has ended; without it the plan allocates its own, and its
  /// runs must not overlap.
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// Everything checked, chosen and encoded, so that run() only launches: one kernel, and another for
/// each of dweight and dbias. It keeps addresses, not data. run() may be captured in CUDA graphs.
class PreparedNormBackward {
 public:
  /// Queues it (GPU) or runs it (simulator). The place must be of the kind that the plan was made
  /// for; throws Error.
  void run(const Place& place) const;
  void operator()(const Place& place) const { run(place); }

  /// Bytes of NormBackwardOptions::workspace that this plan uses.
  std::size_t workspace_bytes() const;
  /// The first kernel's roles, barriers and shared memory; empty where there is nothing to do.
  std::string describe() const;
  /// The first kernel's longest row, elements of an access, cluster and grid, in a line.
  std::string choice() const;

  struct State;
  explicit PreparedNormBackward(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

/// h, dy and dx: rows of 1 to 262,144 elements of one type, fp16, bf16 or fp32; any stride and
/// address that the type allows, faster where all fall on 16 bytes; there dx may be dy, h or dsum.
/// `rstd` and `mean`: the forward pass', an fp32 number for each row. Sums in fp32, in an order
/// that depends on the shape and the GPU alone: the same bits from run to run. A row with NaN (or
/// with infinities, or of which rstd is one) becomes NaN, and NaN goes to dweight and dbias as the
/// formulas have it. No rows: dweight and dbias become 0. Throws Error naming operand, value and
/// rule, and then nothing was launched.
PreparedNormBackward rms_norm_backward_plan(const Place& place, const MutableMatrix& dx,
                                            const Matrix& dy, const Matrix& h, const float* rstd,
                                            const NormBackwardOptions& options = {});
PreparedNormBackward layer_norm_backward_plan(const Place& place, const MutableMatrix& dx,
                                              const Matrix& dy, const Matrix& h, const float* mean,
                                              const float* rstd,
                                              const NormBackwardOptions& options = {});

/// The same, made ready and run. Where it allocates its own workspace it waits for the GPU.
void rms_norm_backward(const Place& place, const MutableMatrix& dx, const Matrix& dy,
                       const Matrix& h, const float* rstd, const NormBackwardOptions& options = {});
void layer_norm_backward(const Place& place, const MutableMatrix& dx, const Matrix& dy,
                         const Matrix& h, const float* mean, const float* rstd,
                         const NormBackwardOptions& options = {});

}  // namespace warpline
