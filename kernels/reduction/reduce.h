// warpline::reduce: out[r] = the sum (or largest, smallest, Euclidean norm) of row r of x.
//
//   warpline::reduce(stream, out, x, ReduceKind::sum);               // queued on a cudaStream_t
//   warpline::reduce(warpline::simulator::Options{}, out, x);        // simulated, checked
//
//   auto plan = warpline::reduce_plan(stream, out, x, ReduceKind::maximum);
//   plan.run(stream);                                                // only launches
//
// A whole tensor is one row of its size: row_major(data, 1, size).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tensor/matrix.h"
#include "tensor/place.h"

namespace warpline {

enum class ReduceKind : std::uint8_t { sum, minimum, maximum, norm };

struct ReduceOptions {
  /// Memory for intermediate results (PreparedReduction::workspace_bytes), on 16 bytes, which the
  /// caller keeps until the run has ended; without it the plan allocates its own, and its runs must
  /// not overlap.
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// Everything checked, chosen and encoded, so that run() only launches. It keeps addresses, not
/// data. run() may be captured in CUDA graphs.
class PreparedReduction {
 public:
  /// Queues it (GPU) or runs it (simulator). The place must be of the kind that the plan was made
  /// for; throws Error.
  void run(const Place& place) const;
  void operator()(const Place& place) const { run(place); }

  /// Bytes of ReduceOptions::workspace that this plan uses.
  std::size_t workspace_bytes() const;
  /// The kernel's roles, barriers and shared memory.
  std::string describe() const;

  struct State;
  explicit PreparedReduction(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

/// x: any number of rows of 0 to 2^63 - 1 elements, fp16, bf16, fp32 or int32, any stride and
/// address that the type allows; out: as many rows of one element, fp16, bf16 or fp32 (of int32:
/// int32). Floating-point sums in fp32, integer ones wrap around; the order of the additions
/// depends on the shape alone. Of nothing, the sum and norm are 0, the largest is -inf (the
/// smallest int32), the smallest +inf (the largest int32). NaN among the elements gives NaN. Throws
/// Error naming operand, value and rule, and then nothing was launched.
PreparedReduction reduce_plan(const Place& place, const MutableMatrix& out, const Matrix& x,
                              ReduceKind kind = ReduceKind::sum, const ReduceOptions& options = {});

/// The same, made ready and run. Where it allocates its own workspace it waits for the GPU.
void reduce(const Place& place, const MutableMatrix& out, const Matrix& x,
            ReduceKind kind = ReduceKind::sum, const ReduceOptions& options = {});

}  // namespace warpline
