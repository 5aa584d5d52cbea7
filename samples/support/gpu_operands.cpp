#include "samples/support/gpu_operands.h"

#if WARPLINE_HAS_GPU

#include <algorithm>

namespace sample {

namespace {

/// Operands together larger than this do not stay in the L2 cache (60 MB).
constexpr std::size_t uncached_bytes = 180'000'000;
constexpr std::size_t max_sets = 256;

}  // namespace

std::size_t sets_against_cache(std::size_t bytes) {
  const std::size_t wanted = std::min(uncached_bytes / bytes + 1, max_sets);
  return std::clamp<std::size_t>(gpu_facts().free_bytes / 2 / bytes, 1, wanted);
}

GpuOperands::GpuOperands(const Matrix& a, const Matrix& b, const Output& c, bool defeat_cache)
    : shape_{.m = a.rows,
             .n = b.rows,
             .k = a.columns,
             .a_stride = a.stride,
             .b_stride = b.stride,
             .c_stride = c.stride()},
      layout_(layout_of(a, b, c)),
      sets_(defeat_cache ? sets_against_cache(layout_.total) : 1),
      memory_(layout_.total * sets_, "A, B and C") {
  memory_.upload(0, a.elements.data(), a.bytes());
  memory_.upload(layout_.b, b.elements.data(), b.bytes());
  for (std::size_t set = 1; set < sets_; ++set) {
    memory_.duplicate(set * layout_.total, 0, layout_.c);
  }
}

GpuOperands::Layout GpuOperands::layout_of(const Matrix& a, const Matrix& b, const Output& c) {
  const auto aligned = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const std::size_t b_begin = aligned(a.bytes());
  const std::size_t c_begin = b_begin + aligned(b.bytes());
  return {b_begin, c_begin, c_begin + aligned(c.image_bytes())};
}

warpline::MatmulProblem GpuOperands::problem(std::size_t set) const {
  const std::size_t begin = set * layout_.total;
  warpline::MatmulProblem problem = shape_;
  problem.a = memory_.at(begin);
  problem.b = memory_.at(begin + layout_.b);
  problem.c = memory_.at(begin + layout_.c + Output::guard_bytes);
  return problem;
}

void GpuOperands::upload_c(const Output& c) const {
  memory_.upload(layout_.c, c.image(), c.image_bytes());
}

void GpuOperands::download_c(Output& c) const {
  memory_.download(c.image(), layout_.c, c.image_bytes());
}

void GpuOperands::copy_c(const DeviceMemory& image, const Output& c) const {
  memory_.copy(layout_.c, image, c.image_bytes());
}

void GpuOperands::download_rows(Output& c, const std::vector<std::int64_t>& rows) const {
  auto* const image = static_cast<unsigned char*>(c.image());
  const std::size_t row_bytes = static_cast<std::size_t>(c.stride()) * sizeof(std::uint16_t);
  for (const std::int64_t row : rows) {
    const std::size_t begin = Output::guard_bytes + static_cast<std::size_t>(row) * row_bytes;
    memory_.download(image + begin, layout_.c + begin, row_bytes);
  }
}

}  // namespace sample

#endif
