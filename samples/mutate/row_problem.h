// What the kernels of rows have in common as subjects: inputs, a launch, and what only their
// author knows.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rows/entry.h"
#include "simulator/mutation.h"

namespace sample {

/// Elements in memory; `offset` before the first row.
struct RowShape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
  std::int64_t offset = 0;

  std::size_t elements() const { return static_cast<std::size_t>(offset + rows * stride); }
};

/// From -2 to 2, in steps that fp16 has.
std::vector<__half> row_numbers(std::size_t count, std::uint32_t seed = 1);

/// For what a producer's leader stores itself, where a copy would go beyond the tensor.
std::string why_rows_are_equivalent(const warpline::simulator::MutationSite& site,
                                    const warpline::simulator::Mutant& mutant);

/// `residual`: a second input of the same shape, or null.
template <class Operation, warpline::RowConfig Config>
void run_rows(const RowShape& shape, const __half* x, const __half* residual,
              const typename Operation::Arguments& operation,
              const warpline::simulator::Options& options) {
  using Entry = warpline::RowEntry<Operation, Config>;
  constexpr std::int64_t access = 16 / sizeof(__half);
  warpline::RowTask task{
      .inputs = residual != nullptr ? 2 : 1, .rows = shape.rows, .columns = shape.columns};
  task.aligned =
      shape.columns % access == 0 && shape.stride % access == 0 && shape.offset % access == 0;
  task.in[0] = x + shape.offset;
  task.stride[0] = shape.stride;
  if (residual != nullptr) {
    task.in[1] = residual + shape.offset;
    task.stride[1] = shape.stride;
  }
  typename Entry::Arguments arguments;
  const unsigned ctas = Entry::encode(task, &operation, &arguments);
  Entry::launch(options, ctas, &arguments);
}

}  // namespace sample
