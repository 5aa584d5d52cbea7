// warpline::reduce: the sum (or largest, smallest element, Euclidean norm) of each row of x, or
// along any one of its dimensions; warpline::argmax: where the largest element is.
//
//   warpline::reduce(stream, out, x, ReduceKind::sum);               // queued on a cudaStream_t
//   warpline::reduce(warpline::simulator::Options{}, out, x);        // simulated, checked
//   warpline::argmax(stream, indices, x);
//
//   auto plan = warpline::reduce_plan(stream, out, x, ReduceKind::maximum);
//   plan.run(stream);                                                // only launches
//
// A whole tensor is one row of its size: row_major(data, 1, size). The sums of a matrix' columns:
// reduce(stream, out, ReduceView::columns_of(x)), out having one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tensor/matrix.h"
#include "tensor/place.h"

namespace warpline {

enum class ReduceKind : std::uint8_t { sum, minimum, maximum, norm };

/// A tensor of three dimensions, of which the middle one is reduced: element (o, k, i) is data[o *
/// outer_stride + k * reduced_stride + i * inner_stride]. Strides are 0 or more. Dimensions on
/// either side of the reduced one that follow on each other are one.
struct ReduceView {
  const void* data = nullptr;
  ElementType type = ElementType::fp32;
  std::int64_t outer = 1;
  std::int64_t reduced = 0;
  std::int64_t inner = 1;
  std::int64_t outer_stride = 0;
  std::int64_t reduced_stride = 1;
  std::int64_t inner_stride = 0;

  /// Of a contiguous tensor of these extents.
  template <class T>
  static ReduceView contiguous(const T* data, std::int64_t outer, std::int64_t reduced,
                               std::int64_t inner) {
    return {data, element_type<T>(), outer, reduced, inner, reduced * inner, inner, 1};
  }
  /// Down each column of a matrix of any strides.
  static ReduceView columns_of(const Matrix& x) {
    return {x.data, x.type, 1, x.rows, x.columns, 0, x.row_stride, x.column_stride};
  }
};

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
  /// The first kernel's roles, barriers and shared memory; empty where there is nothing to do.
  std::string describe() const;
  /// Which kernel goes through x, and in how many segments, in a line.
  std::string choice() const;

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
/// Along the middle dimension; out is outer x inner, of any strides.
PreparedReduction reduce_plan(const Place& place, const MutableMatrix& out, const ReduceView& x,
                              ReduceKind kind = ReduceKind::sum, const ReduceOptions& options = {});

/// The same, made ready and run. Where it allocates its own workspace it waits for the GPU.
void reduce(const Place& place, const MutableMatrix& out, const Matrix& x,
            ReduceKind kind = ReduceKind::sum, const ReduceOptions& options = {});
void reduce(const Place& place, const MutableMatrix& out, const ReduceView& x,
            ReduceKind kind = ReduceKind::sum, const ReduceOptions& options = {});

/// indices[r]: the place of row r's largest element (0 is the first): of equal ones, the first; a
/// NaN is larger than everything, as in numpy and PyTorch. Rows have one element at least.
PreparedReduction argmax_plan(const Place& place, std::int64_t* indices, const Matrix& x,
                              const ReduceOptions& options = {});
/// indices[o * inner + i]: along the middle dimension.
PreparedReduction argmax_plan(const Place& place, std::int64_t* indices, const ReduceView& x,
                              const ReduceOptions& options = {});

void argmax(const Place& place, std::int64_t* indices, const Matrix& x,
            const ReduceOptions& options = {});
void argmax(const Place& place, std::int64_t* indices, const ReduceView& x,
            const ReduceOptions& options = {});

}  // namespace warpline
