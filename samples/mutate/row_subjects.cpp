// Softmax, for the kernels of rows: several rows in a stage, a row in several stages of a cluster's
// CTAs, and rows that begin at any address.
#include <fmt/core.h>

#include <cmath>

#include "samples/mutate/row_problem.h"
#include "softmax/softmax_forward.h"
#include "subject.h"
#include "tests/support/device_array.h"

namespace sample {

namespace {

using warpline::RowConfig;
using warpline::tests::DeviceArray;

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
  const std::vector<__half> in = row_numbers(shape.elements());
  const DeviceArray<__half> x(in);
  // NaN, where nothing is written.
  const DeviceArray<float> y(
      std::vector<float>(static_cast<std::size_t>(shape.rows * shape.columns), NAN));
  warpline::SoftmaxArguments softmax;
  softmax.y = {.data = y.data(), .stride = shape.columns, .type = warpline::ElementType::fp32};
  softmax.scale = Operation::log2_e;
  run_rows<Operation, Config>(shape, x.data(), nullptr, softmax.y, softmax, options);
  const std::vector<float> out = y.values();
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    if (!row_is_right(in.data() + shape.offset + row * shape.stride,
                      out.data() + row * shape.columns, shape.columns)) {
      return false;
    }
  }
  return true;
}

template <RowConfig Config>
Subject subject_of(const char* name, const RowShape& shape) {
  return {fmt::format("{}/{}x{}", name, shape.rows, shape.columns),
          [shape](const warpline::simulator::Options& options) {
            return softmax_is_right<Config>(shape, options);
          },
          why_rows_are_equivalent};
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
