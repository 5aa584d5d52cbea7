// The gradients of a norm, and sums of columns, which they end with: several rows in a stage, a row
// in a cluster, columns at any address.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "normalization/norm_backward_entry.h"
#include "normalization/norm_gradients.h"
#include "reduction/reduce.h"
#include "samples/mutate/row_problem.h"
#include "subject.h"
#include "tests/support/device_array.h"

namespace sample {

namespace {

using warpline::ElementType;
using warpline::NormBackwardConfig;
using warpline::simulator::Change;
using warpline::simulator::Instruction;
using warpline::simulator::Mutant;
using warpline::simulator::MutationSite;
using warpline::tests::DeviceArray;

template <class T>
std::vector<T> numbers(std::int64_t count, std::uint32_t state) {
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) {
    state = state * 1664525 + 1013904223;
    value = static_cast<T>(static_cast<float>(state >> 24) / 64.0F - 2.0F);
  }
  return x;
}

bool near(double got, double wanted) {
  return std::abs(got - wanted) <= 2e-3 * (1 + std::abs(wanted));
}

/// RMSNorm with a weight of ones and all rstd 0.5, and a gradient that comes by another way; dx has
/// h's type.
template <NormBackwardConfig Config>
bool gradients_are_right(std::int64_t rows, std::int64_t columns,
                         const warpline::simulator::Options& options) {
  using Entry = warpline::NormBackwardEntry<__half, Config>;
  constexpr double rstd = 0.5;
  const std::int64_t count = rows * columns;
  const std::vector<__half> inputs[] = {numbers<__half>(count, 1), numbers<__half>(count, 2),
                                        numbers<__half>(count, 3)};
  const DeviceArray<__half> in[] = {DeviceArray(inputs[0]), DeviceArray(inputs[1]),
                                    DeviceArray(inputs[2])};
  const DeviceArray<float> rstds(std::vector<float>(static_cast<std::size_t>(rows), 0.5F));
  const DeviceArray<__half> dx(
      std::vector<__half>(static_cast<std::size_t>(count), __float2half(NAN)));
  // As many rows of sums as there are CTAs at most.
  const DeviceArray<float> dweight(std::vector<float>(static_cast<std::size_t>(count), 0));
  warpline::NormBackwardArguments norm{.dx = {dx.data(), columns, ElementType::fp16},
                                       .rstd = rstds.data(),
                                       .dweight = dweight.data(),
                                       .of_one = 1 / static_cast<float>(columns)};
  warpline::RowTask task{.inputs = 3, .rows = rows, .columns = columns, .aligned = true};
  for (int i = 0; i < 3; ++i) {
    task.in[i] = in[i].data();
    task.stride[i] = columns;
  }
  typename Entry::Arguments arguments;
  const unsigned ctas = Entry::encode(task, &norm, &arguments);
  Entry::launch(options, ctas, &arguments);

  const std::vector<__half> got = dx.values();
  const std::vector<float> partial = dweight.values();
  std::vector<double> sums(static_cast<std::size_t>(columns));
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto at = [&](int input, std::int64_t c) {
      return static_cast<double>(
          __half2float(inputs[input][static_cast<std::size_t>(r * columns + c)]));
    };
    double mean = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      mean += at(1, c) * at(0, c) * rstd / static_cast<double>(columns);
      sums[static_cast<std::size_t>(c)] += at(1, c) * at(0, c) * rstd;
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      const double wanted = rstd * (at(1, c) - at(0, c) * rstd * mean) + at(2, c);
      if (!near(__half2float(got[static_cast<std::size_t>(r * columns + c)]), wanted)) {
        return false;
      }
    }
  }
  for (std::int64_t c = 0; c < columns; ++c) {
    double sum = 0;
    for (std::int64_t row = 0; row < ctas / Config.cluster; ++row) {
      sum += static_cast<double>(partial[static_cast<std::size_t>(row * columns + c)]);
    }
    if (!near(sum, sums[static_cast<std::size_t>(c)])) {
      return false;
    }
  }
  return true;
}

/// Sums over the CTAs' rows of the workspace, of two gradients.
bool sums_of_gradients_are_right(int rows, std::int64_t columns,
                                 const warpline::simulator::Options& options) {
  const std::vector<float> partial = numbers<float>(2 * rows * columns, 1);
  const DeviceArray<float> workspace(partial);
  const DeviceArray<float> out(std::vector<float>(static_cast<std::size_t>(2 * columns), NAN));
  warpline::NormGradients gradients{.count = 2, .rows = rows, .columns = columns};
  for (int i = 0; i < 2; ++i) {
    gradients.gradient[i] = {workspace.data() + i * rows * columns, out.data() + i * columns};
  }
  gradients.choose_parts();
  warpline::launch_norm_gradients(options, gradients);
  const std::vector<float> got = out.values();
  for (std::int64_t i = 0; i < 2 * columns; ++i) {
    double sum = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      sum += static_cast<double>(
          partial[static_cast<std::size_t>((i / columns * rows + row) * columns + i % columns)]);
    }
    if (!near(static_cast<double>(got[static_cast<std::size_t>(i)]), sum)) {
      return false;
    }
  }
  return true;
}

/// Sums along the middle dimension; each view takes another kernel.
bool sums_are_right(const warpline::ReduceView& shape,
                    const warpline::simulator::Options& options) {
  const std::vector<float> in = numbers<float>(
      shape.outer * shape.outer_stride + shape.reduced * shape.reduced_stride + shape.inner, 1);
  const DeviceArray<float> x(in);
  const DeviceArray<float> out(
      std::vector<float>(static_cast<std::size_t>(shape.outer * shape.inner), NAN));
  warpline::ReduceView view = shape;
  view.data = x.data();
  warpline::reduce(options, warpline::row_major(out.data(), shape.outer, shape.inner), view);
  const std::vector<float> got = out.values();
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < shape.reduced; ++k) {
        sum += static_cast<double>(in[static_cast<std::size_t>(
            o * shape.outer_stride + k * shape.reduced_stride + i * shape.inner_stride)]);
      }
      if (!near(static_cast<double>(got[static_cast<std::size_t>(o * shape.inner + i)]), sum)) {
        return false;
      }
    }
  }
  return true;
}

constexpr NormBackwardConfig short_rows{
    .threads = 64, .threads_per_row = 8, .vector = 1, .stage_elements = 1024, .stages = 3};
constexpr NormBackwardConfig halves_of_rows{.threads = 64,
                                            .threads_per_row = 64,
                                            .vector = 1,
                                            .stage_elements = 3072,
                                            .stages = 3,
                                            .cluster = 2};

}  // namespace

std::vector<Subject> norm_gradient_subjects() {
  using warpline::ReduceView;
  using warpline::simulator::Options;
  // Columns at any address: six parts for two CTAs.
  const ReduceView columns{nullptr, ElementType::fp32, 6, 260, 32, 10660, 41, 1};
  // 256 threads for each of three results.
  const ReduceView anywhere{nullptr, ElementType::fp32, 1, 1500, 3, 0, 7, 2};
  return {
      {"norm_backward/60x72",
       [](const Options& options) { return gradients_are_right<short_rows>(60, 72, options); },
       why_rows_are_equivalent},
      {"norm_backward.cluster/8x1904",
       [](const Options& options) { return gradients_are_right<halves_of_rows>(8, 1904, options); },
       why_rows_are_equivalent},
      {"norm_gradients/70x40",
       [](const Options& options) { return sums_of_gradients_are_right(70, 40, options); }},
      {"reduce_columns/6x260x32",
       [=](const Options& options) { return sums_are_right(columns, options); },
       why_rows_are_equivalent},
      {"reduce_strided/1500x3",
       [=](const Options& options) { return sums_are_right(anywhere, options); }}};
}

}  // namespace sample
