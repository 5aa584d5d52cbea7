// The kernels behind warpline::reduce as rows of a table. Knows neither target.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reduction/reduce_arguments.h"
#include "tensor/place.h"

namespace warpline {

/// One pass of a reduction, ready to be launched.
struct ReducePass {
  unsigned ctas = 0;
  void (*launch)(const Place&, const ReducePass&) = nullptr;
  struct alignas(64) Arguments {
    unsigned char bytes[256];
  } arguments = {};
};

/// How a kernel goes through memory.
enum class ReduceShape : std::uint8_t {
  rows,     ///< the reduced elements are next to each other
  columns,  ///< elements of different results are
  strided   ///< anything; also what follows a first pass
};

struct ReduceLine {
  ReduceShape shape = ReduceShape::rows;
  /// One kernel for all of them but argmax, where the shape is not `rows`.
  ReduceStep step = ReduceStep::sum;
  /// One kernel for all floating-point types, where the shape is `strided`.
  ElementType type = ElementType::fp32;
  ReducePass (*encode)(const ReduceTask&) = nullptr;
  std::string (*describe)() = nullptr;
};

struct ReduceTable {
  std::vector<ReduceLine> lines;
  /// Memory of the target. The second waits for kernels that use it.
  void* (*allocate)(std::size_t bytes) = nullptr;
  void (*release)(void*) = nullptr;
};

}  // namespace warpline

extern "C" {
/// Each target's table, whichever a program is linked with.
const warpline::ReduceTable* warpline_reduce_gpu_lines();
const warpline::ReduceTable* warpline_reduce_simulator_lines();
}
