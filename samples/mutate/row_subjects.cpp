// Softmax, for the kernels of rows: several rows in a stage, a row in several stages of a cluster's
// CTAs, and rows that begin at any address.
#include <cuda_fp16.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rows/entry.h"
#include "softmax/softmax_forward.h"
#include "subject.h"
#include "tests/support/device_array.h"

namespace sample {

namespace {

using warpline::RowConfig;
using warpline::simulator::Change;
using warpline::simulator::Instruction;
using warpline::simulator::Mutant;
using warpline::simulator::MutationSite;
using warpline::tests::DeviceArray;

/// Elements in memory; `offset` before the first row.
struct RowShape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
  std::int64_t offset = 0;
};

std::vector<__half> inputs_of(const RowShape& shape) {
  std::vector<__half> x(static_cast<std::size_t>(shape.offset + shape.rows * shape.stride));
  std::uint32_t state = 1;
  for (__half& value : x) {
    state = state * 1664525 + 1013904223;
    value = __float2half(static_cast<float>(state >> 24) / 64.0F - 2.0F);
  }
  return x;
}

/// Exponentials and the reciprocal are approximations: a few units of 2^-22.
bool row_is_right(const __half* x, const float* y, std::int64_t columns) {
  double sum = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    sum += std::exp(static_cast<double>(__half2float(x[i])));
  }
  for (std::int64_t i = 0; i < columns; ++i) {
    const double expected = std::exp(static_cast<double>(__half2float(x[i]))) / sum;
    if (!(std::abs(static_cast<double>(y[i]) - expected) <= 1e-5 * expected)) {
      return false;
    }
  }
  return true;
}

template <RowConfig Config>
bool softmax_is_right(const RowShape& shape, const warpline::simulator::Options& options) {
  using Operation = warpline::SoftmaxForward<__half>;
  using Entry = warpline::RowEntry<Operation, Config>;
  const std::vector<__half> in = inputs_of(shape);
  const DeviceArray<__half> x(in);
  // NaN, where nothing is written.
  const DeviceArray<float> y(
      std::vector<float>(static_cast<std::size_t>(shape.rows * shape.columns), NAN));
  warpline::SoftmaxArguments softmax;
  softmax.y = {.data = y.data(), .stride = shape.columns, .type = warpline::ElementType::fp32};
  softmax.scale = Operation::log2_e;
  warpline::RowTask task{
      .inputs = 1, .rows = shape.rows, .columns = shape.columns, .result = softmax.y};
  constexpr std::int64_t access = Config.vector;
  task.aligned =
      shape.columns % access == 0 && shape.stride % access == 0 && shape.offset % access == 0;
  task.in[0] = x.data() + shape.offset;
  task.stride[0] = shape.stride;
  typename Entry::Arguments arguments;
  const unsigned ctas = Entry::encode(task, &softmax, &arguments);
  Entry::launch(options, ctas, &arguments);
  const std::vector<float> out = y.values();
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    if (!row_is_right(in.data() + shape.offset + row * shape.stride,
                      out.data() + row * shape.columns, shape.columns)) {
      return false;
    }
  }
  return true;
}

/// For what the producer's leader stores itself, where a copy would go beyond the tensor.
std::string why_equivalent(const MutationSite& site, const Mutant& mutant) {
  if (site.role != "producer") {
    return {};
  }
  if (site.instruction == Instruction::syncwarp && mutant.change == Change::delay) {
    return "the leader has waited itself for the stage that it stores to, the other lanes access "
           "nothing, and the copies still come after the meeting";
  }
  // (Of the tensor's first elements it is reported.)
  if (site.instruction == Instruction::fence_proxy_async && site.file.ends_with("row_loader.h")) {
    return "the tensor's tail is in the last stage that its CTA fills: no copy comes over it";
  }
  return {};
}

template <RowConfig Config>
Subject subject_of(const char* name, const RowShape& shape) {
  return {fmt::format("{}/{}x{}", name, shape.rows, shape.columns),
          [shape](const warpline::simulator::Options& options) {
            return softmax_is_right<Config>(shape, options);
          },
          why_equivalent};
}

}  // namespace

std::vector<Subject> row_subjects() {
  return {
      // Six rows in a stage.
      subject_of<RowConfig{
          .threads = 64, .threads_per_row = 8, .elements = 8, .stage_elements = 256, .stages = 2}>(
          "softmax", {.rows = 60, .columns = 40, .stride = 48}),
      // Half of a row for a CTA, in two stages.
      subject_of<RowConfig{.threads = 64,
                           .threads_per_row = 64,
                           .elements = 16,
                           .stage_elements = 512,
                           .stages = 2,
                           .cluster = 2}>("softmax.cluster",
                                          {.rows = 8, .columns = 1904, .stride = 1904}),
      subject_of<RowConfig{.threads = 64,
                           .threads_per_row = 64,
                           .elements = 16,
                           .stage_elements = 512,
                           .stages = 2}>("softmax.any_address",
                                         {.rows = 10, .columns = 963, .stride = 967, .offset = 3})};
}

}  // namespace sample
