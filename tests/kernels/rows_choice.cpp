// Which kernel of rows a call gets: one for aligned rows of one type, or one for all others.
#include <cstdint>

#include "normalization/norm.h"
#include "normalization/norm_backward.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr std::int64_t rows = 8;
constexpr std::int64_t columns = 64;
const Place place = simulator::Options{};

/// Memory for a matrix of any type; its elements are not looked at.
struct alignas(16) Bytes {
  unsigned char bytes[2 * rows * columns * 4];

  MutableMatrix matrix(ElementType type, int offset = 0, std::int64_t count = rows) {
    return {bytes + offset * bytes_of(type), type, count, columns, columns};
  }
};

struct Memory {
  Bytes x;
  Bytes y;
  Bytes weight;
};

std::string norm_of(const MutableMatrix& y, const Matrix& x, const Matrix& weight) {
  return rms_norm_plan(place, y, x, {.weight = weight}).choice();
}

/// Of an RMSNorm of nine bf16 rows, from memory that falls on 16 bytes. Nothing is read or written:
/// addresses are enough, y's far behind x, since that nothing overlaps is checked.
std::string choice_of(std::int64_t length) {
  struct alignas(16) Anything {
    unsigned char bytes[64];
  };
  static Anything x;
  auto* const y = x.bytes + (std::int64_t{1} << 30);
  return rms_norm_plan(place, {y, ElementType::bf16, 9, length, length},
                       {x.bytes, ElementType::bf16, 9, length, length})
      .choice();
}

}  // namespace

TEST_CASE("rows: aligned rows of one type have kernels of their own") {
  Memory memory;
  const auto aligned = ContainsSubstring("aligned rows of one type");
  const auto anywhere = ContainsSubstring("rows anywhere");
  constexpr ElementType fp16 = ElementType::fp16;
  constexpr ElementType bf16 = ElementType::bf16;
  constexpr ElementType fp32 = ElementType::fp32;
  Bytes& weight = memory.weight;
  const auto x = memory.x.matrix(bf16);
  const auto y = memory.y.matrix(bf16);
  CHECK_THAT(norm_of(y, x, weight.matrix(bf16, 0, 1)), aligned);
  CHECK_THAT(norm_of(y, x, weight.matrix(fp32, 0, 1)), aligned);
  CHECK_THAT(norm_of(y, x, weight.matrix(fp16, 0, 1)), anywhere);
  CHECK_THAT(norm_of(memory.y.matrix(fp32), x, weight.matrix(bf16, 0, 1)), anywhere);
  CHECK_THAT(norm_of(memory.y.matrix(bf16, 1), x, weight.matrix(bf16, 0, 1)), anywhere);
  CHECK_THAT(norm_of(y, memory.x.matrix(bf16, 3), weight.matrix(bf16, 0, 1)), anywhere);
  CHECK_THAT(norm_of(y, x, weight.matrix(bf16, 1, 1)), anywhere);
  auto wide = x;
  wide.row_stride = columns + 1;
  CHECK_THAT(norm_of(y, wide, weight.matrix(bf16, 0, 1)), anywhere);
}

TEST_CASE("rows: aligned ones that a CTA's registers hold go without a ring, longer ones through") {
  CHECK_THAT(choice_of(64), ContainsSubstring("norm_direct, bf16, rows of up to 64, 8 elements"));
  CHECK_THAT(choice_of(64), ContainsSubstring("aligned rows of one type, cluster 1, 1 CTAs"));
  CHECK_THAT(choice_of(72), ContainsSubstring("rows of up to 128"));
  CHECK_THAT(choice_of(1024), ContainsSubstring("norm_direct, bf16, rows of up to 1024"));
  CHECK_THAT(choice_of(1024), ContainsSubstring("9 CTAs"));
  CHECK_THAT(choice_of(5000), ContainsSubstring("rows of up to 5120"));
  CHECK_THAT(choice_of(16384), ContainsSubstring("norm_direct, bf16, rows of up to 16384"));
  CHECK_THAT(choice_of(16392), ContainsSubstring("norm_streamed, bf16, rows of up to 32768"));
}

TEST_CASE("rows anywhere: kernels of six lengths and more, by single elements") {
  struct Length {
    std::int64_t columns;
    const char* kernel;
  };
  constexpr Length lengths[] = {{63, "norm_forward, bf16, rows of up to 128, single elements"},
                                {511, "rows of up to 512"},
                                {1023, "rows of up to 1024"},
                                {2047, "rows of up to 2048"},
                                {8191, "norm_forward, bf16, rows of up to 8192"},
                                {8193, "norm_streamed, bf16, rows of up to 16384"},
                                {50257, "rows of up to 65536"},
                                {262143, "norm_streamed, bf16, rows of up to 262144"}};
  for (const auto& [columns, kernel] : lengths) {
    CHECK_THAT(choice_of(columns), ContainsSubstring(kernel));
    CHECK_THAT(choice_of(columns), ContainsSubstring("rows anywhere"));
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
