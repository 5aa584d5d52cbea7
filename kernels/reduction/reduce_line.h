// The kernels behind warpline::reduce as rows of a table. Knows neither target.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reduction/reduce.h"
#include "reduction/reduce_arguments.h"

namespace warpline {

struct ReduceTask {
  const void* x = nullptr;
  std::int64_t x_stride = 0;
  void* out = nullptr;
  std::int64_t out_stride = 0;
  ReduceOutput out_type = ReduceOutput::fp32;
  ReduceExtents extents;
  /// Of the first pass, if there are two: one accumulator for each segment.
  void* partials = nullptr;
};

/// One pass of a reduction, ready to be launched.
struct ReducePass {
  unsigned ctas = 0;
  struct alignas(64) Arguments {
    unsigned char bytes[128];
  } arguments = {};
};

struct ReduceLine {
  ReduceKind kind = ReduceKind::sum;
  ElementType type = ElementType::fp32;
  std::size_t accumulator_bytes = 4;
  /// Writes the passes, one or two, and returns how many.
  int (*encode)(const ReduceTask&, ReducePass (&passes)[2]) = nullptr;
  void (*launch)(const Place&, int passes, const ReducePass (&)[2]) = nullptr;
  /// Memory of the line's target. The second waits for kernels that use it.
  void* (*allocate)(std::size_t bytes) = nullptr;
  void (*release)(void*) = nullptr;
  std::string (*describe)() = nullptr;
};

}  // namespace warpline

extern "C" {
/// Each target's table, whichever a program is linked with.
const std::vector<warpline::ReduceLine>* warpline_reduce_gpu_lines();
const std::vector<warpline::ReduceLine>* warpline_reduce_simulator_lines();
}
