#include "samples/bench/matmul/gpu_operands.h"

#if WARPLINE_HAS_GPU

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "samples/support/gpu_operands.h"
#include "warpline/error.h"

namespace bench {

using sample::Noise;

namespace {

constexpr std::size_t guard_bytes = 256;
constexpr int poison_byte = 0xff;  // 0xffff is a NaN of either type

std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

std::size_t bytes_of(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(std::uint16_t);
}

}  // namespace

GpuOperands::GpuOperands(std::uint64_t seed, const std::vector<Shape>& shapes) : seed_(seed) {
  const std::size_t available = sample::gpu_facts().free_bytes / 4 * 3;
  for (const Shape& shape : shapes) {
    const Layout layout = layout_of(shape);
    const std::size_t noise = std::max(noise_bytes_, layout.noise());
    const std::size_t results = std::max(result_bytes_, layout.results());
    if (noise + results <= available) {
      noise_bytes_ = noise;
      result_bytes_ = results;
    }
  }
  noise_bytes_ = std::max(noise_bytes_, bytes_of(Noise::period, 1));
  inputs_.emplace(noise_bytes_, "A and B");
  results_.emplace(std::max<std::size_t>(result_bytes_, 1), "D");
}

GpuOperands::Layout GpuOperands::layout_of(const Shape& shape) {
  Layout layout;
  layout.b = aligned(bytes_of(shape.m, shape.k));
  layout.inputs = layout.b + aligned(bytes_of(shape.n, shape.k));
  layout.d_bytes = bytes_of(shape.m, shape.n);
  layout.outputs = guard_bytes + aligned(layout.d_bytes + guard_bytes);
  layout.sets = sample::sets_against_cache(layout.inputs + layout.outputs);
  return layout;
}

void GpuOperands::take(const Shape& shape) {
  const Layout layout = layout_of(shape);
  if (layout.noise() > noise_bytes_ || layout.results() > result_bytes_) {
    throw warpline::Error(
        fmt::format("A, B and D need {:.1f} GB of GPU memory, available are {:.1f}",
                    static_cast<double>(layout.noise() + layout.results()) * 1e-9,
                    static_cast<double>(noise_bytes_ + result_bytes_) * 1e-9));
  }
  shape_ = shape;
  layout_ = layout;
  if (!noise_ || noise_->type() != shape.type) {
    noise_.emplace(shape.type, seed_);
    fill();
  }
}

void GpuOperands::fill() {
  std::size_t filled = bytes_of(Noise::period, 1);
  inputs_->upload(0, noise_->bits().data(), filled);
  // What is there is a whole number of periods: its beginning continues it.
  while (filled < noise_bytes_) {
    const std::size_t more = std::min(filled, noise_bytes_ - filled);
    inputs_->duplicate(filled, 0, more);
    filled += more;
  }
}

GpuOperands::Set GpuOperands::set(std::size_t number) const {
  const std::size_t begin = number * layout_.inputs;
  return {inputs_->at(begin), inputs_->at(begin + layout_.b), d_of(number)};
}

unsigned char* GpuOperands::d_of(std::size_t number) const {
  return results_->at(number * layout_.outputs + guard_bytes);
}

sample::Rows GpuOperands::a() const { return noise_->matrix(0, shape_.m, shape_.k); }

sample::Rows GpuOperands::b() const {
  return noise_->matrix(static_cast<std::int64_t>(layout_.b / sizeof(std::uint16_t)), shape_.n,
                        shape_.k);
}

void GpuOperands::poison(const sample::GpuStream& stream) const {
  stream.fill(results_->at(0), layout_.outputs, poison_byte);
}

sample::Rows GpuOperands::download(const std::vector<std::int64_t>& rows) const {
  const std::int64_t n = shape_.n;
  auto bits =
      std::make_shared<std::vector<std::uint16_t>>(rows.size() * static_cast<std::size_t>(n));
  const bool all = static_cast<std::int64_t>(rows.size()) == shape_.m;
  if (all) {
    results_->download(bits->data(), guard_bytes, layout_.d_bytes);
  }
  for (std::size_t i = 0; i < rows.size() && !all; ++i) {
    results_->download(bits->data() + i * static_cast<std::size_t>(n),
                       guard_bytes + bytes_of(rows[i], n), bytes_of(1, n));
  }
  return {shape_.m, n, [bits, rows, n, type = shape_.type](std::int64_t row, float* values) {
            const auto place = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
            sample::to_floats(type, bits->data() + place * n, n, values);
          }};
}

bool GpuOperands::guards_are_whole() const {
  std::vector<unsigned char> guard(guard_bytes);
  for (const std::size_t begin : {std::size_t{0}, guard_bytes + layout_.d_bytes}) {
    results_->download(guard.data(), begin, guard_bytes);
    if (std::any_of(guard.begin(), guard.end(),
                    [](unsigned char byte) { return byte != poison_byte; })) {
      return false;
    }
  }
  return true;
}

}  // namespace bench

#endif
