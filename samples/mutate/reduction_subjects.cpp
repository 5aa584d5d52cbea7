// A sum of integers: two long rows, a CTA each, that fill the ring three times and part of a stage,
// and begin and end between the copy engine's 16 bytes.
#include <cstdint>
#include <vector>

#include "reduction/reduce_entry.h"
#include "samples/mutate/row_problem.h"
#include "subject.h"
#include "tests/support/device_array.h"

namespace sample {

namespace {

using Operation = warpline::ReduceSum<std::int32_t>;

bool sum_is_right(const warpline::simulator::Options& options) {
  using Kernel = warpline::ReduceKernel<Operation>;
  constexpr std::int64_t rows = 2;
  constexpr std::int64_t columns = 3 * Kernel::Ring::stages * Kernel::stage_elements + 101;
  constexpr std::int64_t stride = columns + 2;
  std::vector<std::int32_t> in(1 + rows * stride);
  std::vector<std::int32_t> expected(rows, 0);
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(in.size()); ++at) {
    in[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(at % 1009 - 400);
    const std::int64_t row = (at - 1) / stride;
    if (at > 0 && (at - 1) % stride < columns) {
      expected[static_cast<std::size_t>(row)] += in[static_cast<std::size_t>(at)];
    }
  }
  const warpline::tests::DeviceArray<std::int32_t> x(in);
  const warpline::tests::DeviceArray<std::int32_t> sums(std::vector<std::int32_t>(rows, -1));
  warpline::ReduceTask task;
  task.x = x.data() + 1;
  task.out = sums.data();
  task.type = warpline::ElementType::int32;
  task.out_type = warpline::ReduceOutput::int32;
  task.extents = {.reduced = columns,
                  .inner = rows,
                  .x_inner = stride,
                  .out_inner = 1,
                  .segment = columns,
                  .segments = 1};
  const warpline::ReducePass pass = warpline::ReduceEntry<Operation>::encode(task);
  pass.launch(options, pass);
  return sums.values() == expected;
}

}  // namespace

std::vector<Subject> reduction_subjects() {
  return {{"reduce_sum/2_rows", sum_is_right, why_rows_are_equivalent}};
}

}  // namespace sample
