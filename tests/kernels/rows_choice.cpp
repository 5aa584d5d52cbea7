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

TEST_CASE("rows: long rows that begin alike are streamed") {
  const auto alike = ContainsSubstring("begin alike");
  const auto anywhere = ContainsSubstring("rows anywhere");
  constexpr ElementType bf16 = ElementType::bf16;
  // Nothing is read or written: addresses are enough.
  struct alignas(16) Anything {
    unsigned char bytes[64];
  };
  static Anything x;
  static Anything weight;
  const auto choice = [](std::int64_t columns, std::int64_t behind, std::int64_t stride) {
    // Far behind x: that nothing overlaps is checked.
    auto* const y = x.bytes + (std::int64_t{1} << 30) + 2 * behind;
    return rms_norm_plan(place, {y, bf16, 9, columns, stride}, {x.bytes, bf16, 9, columns, columns},
                         {.weight = {weight.bytes + 2, bf16, 1, columns, columns}})
        .choice();
  };
  CHECK_THAT(choice(50257, 0, 50257), alike);
  CHECK_THAT(choice(50257, 8, 50265), alike);
  CHECK_THAT(choice(50257, 1, 50257), anywhere);
  CHECK_THAT(choice(50257, 0, 50258), anywhere);
  CHECK_THAT(choice(8193, 0, 8193), alike);
  CHECK_THAT(choice(8191, 0, 8191), anywhere);
  CHECK_THAT(choice(262137, 0, 262137), alike);
  CHECK_THAT(choice(262139, 0, 262139), anywhere);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
