// RMSNorm with a residual, two inputs that take turns in the ring, and LayerNorm whose rows are a
// cluster's, which exchanges more than softmax does.
#include <fmt/core.h>

#include <cmath>

#include "normalization/norm_forward.h"
#include "samples/mutate/row_problem.h"
#include "subject.h"
#include "tests/support/device_array.h"

namespace sample {

namespace {

using warpline::RowConfig;
using warpline::tests::DeviceArray;

constexpr float epsilon = 1e-5F;

/// `h` is a row before it is normalised. fp32 sums, and an approximate square root.
bool row_is_right(const std::vector<double>& h, const float* y, bool layer) {
  const auto columns = static_cast<double>(h.size());
  double mean = 0;
  for (const double x : h) {
    mean += layer ? x / columns : 0;
  }
  double squares = 0;
  for (const double x : h) {
    squares += (x - mean) * (x - mean);
  }
  const double rstd = 1 / std::sqrt(squares / columns + static_cast<double>(epsilon));
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (!(std::abs(static_cast<double>(y[i]) - (h[i] - mean) * rstd) <= 1e-5)) {
      return false;
    }
  }
  return true;
}

template <RowConfig Config>
bool norm_is_right(const RowShape& shape, bool layer, const warpline::simulator::Options& options) {
  const std::vector<__half> in = row_numbers(shape.elements());
  const std::vector<__half> added = row_numbers(shape.elements(), 2);
  const DeviceArray<__half> x(in);
  const DeviceArray<__half> residual(added);
  // NaN, where nothing is written.
  const DeviceArray<float> y(
      std::vector<float>(static_cast<std::size_t>(shape.rows * shape.columns), NAN));
  const warpline::NormArguments norm{
      .y = {.data = y.data(), .stride = shape.columns, .type = warpline::ElementType::fp32},
      .epsilon = epsilon,
      .of_one = 1 / static_cast<float>(shape.columns),
      .layer = layer};
  run_rows<warpline::NormForward<__half>, Config>(shape, x.data(),
                                                  layer ? nullptr : residual.data(), norm, options);
  const std::vector<float> out = y.values();
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    std::vector<double> h;
    for (std::int64_t i = 0; i < shape.columns; ++i) {
      const auto at = static_cast<std::size_t>(shape.offset + row * shape.stride + i);
      h.push_back(static_cast<double>(__half2float(in[at])) +
                  (layer ? 0.0 : static_cast<double>(__half2float(added[at]))));
    }
    if (!row_is_right(h, out.data() + row * shape.columns, layer)) {
      return false;
    }
  }
  return true;
}

template <RowConfig Config>
Subject subject_of(const char* name, const RowShape& shape, bool layer) {
  return {fmt::format("{}/{}x{}", name, shape.rows, shape.columns),
          [shape, layer](const warpline::simulator::Options& options) {
            return norm_is_right<Config>(shape, layer, options);
          },
          why_rows_are_equivalent};
}

}  // namespace

std::vector<Subject> norm_subjects() {
  return {subject_of<RowConfig{.threads = 64,
                               .threads_per_row = 64,
                               .elements = 16,
                               .vector = 1,
                               .stage_elements = 512,
                               .stages = 2}>("rms_norm", {.rows = 6, .columns = 960, .stride = 960},
                                             false),
          subject_of<RowConfig{.threads = 64,
                               .threads_per_row = 64,
                               .elements = 16,
                               .vector = 1,
                               .stage_elements = 512,
                               .stages = 2,
                               .cluster = 2}>("layer_norm.cluster",
                                              {.rows = 8, .columns = 1904, .stride = 1904}, true)};
}

}  // namespace sample
