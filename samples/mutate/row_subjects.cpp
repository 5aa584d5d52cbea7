// Softmax and its gradient, for the kernels of rows: several rows in a stage, a row in several
// stages of a cluster's CTAs, rows that begin at any address, and two inputs.
#include <fmt/core.h>

#include <cmath>

#include "samples/mutate/row_problem.h"
#include "softmax/softmax_backward.h"
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
  run_rows<Operation, Config>(shape, x.data(), nullptr, softmax, options);
  const std::vector<float> out = y.values();
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    if (!row_is_right(in.data() + shape.offset + row * shape.stride,
                      out.data() + row * shape.columns, shape.columns)) {
      return false;
    }
  }
  return true;
}

/// y * (dy - sum(dy * y)), y being any numbers.
template <RowConfig Config>
bool gradient_is_right(const RowShape& shape, const warpline::simulator::Options& options) {
  const std::vector<__half> y = row_numbers(shape.elements());
  const std::vector<__half> dy = row_numbers(shape.elements(), 2);
  const DeviceArray<__half> device_y(y);
  const DeviceArray<__half> device_dy(dy);
  const DeviceArray<float> dx(
      std::vector<float>(static_cast<std::size_t>(shape.rows * shape.columns), NAN));
  warpline::SoftmaxBackwardArguments arguments{.softmax = true};
  arguments.dx = {.data = dx.data(), .stride = shape.columns, .type = warpline::ElementType::fp32};
  run_rows<warpline::SoftmaxBackward<__half>, Config>(shape, device_y.data(), device_dy.data(),
                                                      arguments, options);
  const std::vector<float> out = dx.values();
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const auto at = [&](const std::vector<__half>& from, std::int64_t column) {
      return static_cast<double>(
          __half2float(from[static_cast<std::size_t>(shape.offset + row * shape.stride + column)]));
    };
    double sum = 0;
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      sum += at(y, c) * at(dy, c);
    }
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      const double got = out[static_cast<std::size_t>(row * shape.columns + c)];
      if (!(std::abs(got - at(y, c) * (at(dy, c) - sum)) <= 1e-3)) {
        return false;
      }
    }
  }
  return true;
}

using IsRight = bool (*)(const RowShape&, const warpline::simulator::Options&);

Subject subject_of(const char* name, const RowShape& shape, IsRight is_right) {
  return {fmt::format("{}/{}x{}", name, shape.rows, shape.columns),
          [=](const warpline::simulator::Options& options) { return is_right(shape, options); },
          why_rows_are_equivalent};
}

/// Six rows in a stage, or three of each of two inputs.
constexpr RowConfig short_rows{.threads = 64,
                               .threads_per_row = 8,
                               .elements = 8,
                               .vector = 1,
                               .stage_elements = 256,
                               .stages = 2};
/// Half of a row for a CTA, in two stages of each input.
constexpr RowConfig halves_of_rows{.threads = 64,
                                   .threads_per_row = 64,
                                   .elements = 16,
                                   .vector = 1,
                                   .stage_elements = 512,
                                   .stages = 2,
                                   .cluster = 2};
constexpr RowConfig whole_rows{.threads = 64,
                               .threads_per_row = 64,
                               .elements = 16,
                               .vector = 1,
                               .stage_elements = 512,
                               .stages = 2};

/// A row for a CTA of three warps, without a ring.
constexpr RowConfig direct_rows{.path = warpline::RowPath::direct,
                                .threads = 96,
                                .threads_per_row = 96,
                                .elements = 8,
                                .vector = 1};

}  // namespace

std::vector<Subject> row_subjects() {
  // The first CTAs get half of all stages: ten each, rings filled five times.
  const RowShape few{.rows = 240, .columns = 40, .stride = 48};
  const RowShape halves{.rows = 8, .columns = 1904, .stride = 1904};
  const RowShape anywhere{.rows = 10, .columns = 983, .stride = 987, .offset = 3};
  const RowShape direct{.rows = 3, .columns = 700, .stride = 704};
  return {subject_of("softmax", few, softmax_is_right<short_rows>),
          subject_of("softmax.cluster", halves, softmax_is_right<halves_of_rows>),
          subject_of("softmax.any_address", anywhere, softmax_is_right<whole_rows>),
          subject_of("softmax.direct", direct, softmax_is_right<direct_rows>),
          subject_of("softmax_backward", few, gradient_is_right<short_rows>),
          subject_of("softmax_backward.cluster", halves, gradient_is_right<halves_of_rows>),
          subject_of("softmax_backward.any_address", anywhere, gradient_is_right<whole_rows>)};
}

}  // namespace sample
