// wgmma: every N, type, major, swizzle and negation, A from shared memory and from registers,
// several steps that add or overwrite, with small integers, so that the order of additions cannot
// matter.
#include <array>
#include <cmath>
#include <utility>

#include "tests/differential/wgmma_probe.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr int depth = 16;

/// Extents of one operand of one step, and its values.
struct Operand {
  isa::Major major;
  int rows;  ///< M or N
  int span;  ///< of the swizzle, 16: none
  WgmmaOperand place;
  std::vector<int> values;  ///< [mn][k]
  int at(int mn, int k) const { return values[static_cast<std::size_t>(mn * depth + k)]; }
};

/// Small integers in both 16-bit formats.
uint16_t encoded(int value, isa::WgmmaType type) {
  if (value == 0) {
    return 0;
  }
  const unsigned sign = value < 0 ? 0x8000u : 0u;
  const auto magnitude = static_cast<unsigned>(value < 0 ? -value : value);
  unsigned exponent = 0;
  while (magnitude >> (exponent + 1) != 0) {
    ++exponent;
  }
  const bool fp16 = type == isa::WgmmaType::fp16;
  const unsigned mantissa_bits = fp16 ? 10 : 7;
  const unsigned bias = fp16 ? 15 : 127;
  const unsigned fraction = (magnitude ^ (1u << exponent)) << (mantissa_bits - exponent);
  return static_cast<uint16_t>(sign | (exponent + bias) << mantissa_bits | fraction);
}

/// Where element (mn, k) lies, from the PTX ISA's "Strides": cores of 8 rows of 16 bytes without
/// swizzle; rows of one span in groups of 8 with it.
uint32_t place_of(const Operand& operand, int mn, int k) {
  const auto contiguous = static_cast<uint32_t>(operand.major == isa::Major::k ? k : mn) * 2;
  const auto row = static_cast<uint32_t>(operand.major == isa::Major::k ? mn : k);
  const WgmmaOperand& place = operand.place;
  const auto span = static_cast<uint32_t>(operand.span);
  uint32_t address = place.start + row % 8 * span;
  if (operand.span == 16) {
    // The leading offset steps along K, the stride along M or N, whichever is contiguous.
    const auto core_k = static_cast<uint32_t>(k / 8);
    const auto core_mn = static_cast<uint32_t>(mn / 8);
    address += core_k * place.leading + core_mn * place.stride + contiguous % 16;
  } else {
    address += row / 8 * place.stride + contiguous / span * place.leading + contiguous % span;
  }
  const uint32_t line = address / 128;
  const uint32_t chunk = address / 16 % 8 ^ line % (span / 16);
  return line * 128 + chunk * 16 + address % 16;
}

/// Draws layout and values; returns the end of what the operand takes from `begin` on.
uint32_t draw_operand(Dice& dice, Operand& operand, uint32_t begin) {
  constexpr uint32_t layouts[] = {0, 3, 2, 0, 1};  // by span / 32
  const auto span = static_cast<uint32_t>(operand.span);
  WgmmaOperand& place = operand.place;
  place.layout = layouts[span / 32];
  place.start = begin;
  const auto rows = static_cast<uint32_t>(operand.rows);
  const auto wide = static_cast<uint32_t>(dice.between(1, operand.rows <= 128 ? 2 : 1));
  uint32_t end = 0;
  if (span == 16) {
    // Cores in either order, with gaps.
    place.start += static_cast<uint32_t>(16 * dice.between(0, 8));
    if (dice.one_in(2)) {
      place.leading = 128 * wide;
      place.stride = place.leading * 2;
    } else {
      place.stride = 128 * wide;
      place.leading = place.stride * rows / 8 + static_cast<uint32_t>(16 * dice.between(0, 4));
    }
    end = place.start + place.leading + place.stride * (rows / 8);
  } else if (operand.major == isa::Major::k) {
    place.leading = 16;  // ignored
    place.stride = 8 * span * wide;
    // A later step within the span.
    place.start += 32 * static_cast<uint32_t>(dice.between(0, operand.span / 32 - 1));
    end = place.start + place.stride * (rows / 8) + span;
  } else {
    place.stride = 8 * span;
    const uint32_t slabs = (rows * 2 + span - 1) / span;
    if (dice.one_in(2)) {  // slabs of the tile's 16 rows, or of more
      place.leading = 16 * span * wide;
    } else {
      place.leading = place.stride;
      place.stride = place.leading * slabs;
    }
    end = place.start + place.leading * (slabs - 1) + place.stride + 8 * span;
  }
  operand.values.resize(static_cast<std::size_t>(operand.rows * depth));
  for (int& value : operand.values) {
    value = dice.between(-4, 4);
  }
  return (end + 1023) / 1024 * 1024;
}

struct WgmmaCase {
  std::string name;
  int n = 0;
  WgmmaVariant variant{};
  WgmmaArguments arguments{};
  Bytes image;
  Bytes fragments;
  Bytes expected;
};

void put_in_image(WgmmaCase& test, const Operand& operand) {
  for (int mn = 0; mn < operand.rows; ++mn) {
    for (int k = 0; k < depth; ++k) {
      const uint16_t bits = encoded(operand.at(mn, k), test.variant.options.type);
      std::memcpy(&test.image[place_of(operand, mn, k)], &bits, 2);
    }
  }
}

/// Register i of thread t holds two neighbours of one row; see isa::wgmma_register_a.
void put_in_fragments(WgmmaCase& test, const Operand& a, int step) {
  for (int t = 0; t < 128; ++t) {
    for (int i = 0; i < 4; ++i) {
      const int row = t / 32 * 16 + i % 2 * 8 + t % 32 / 4;
      const int k = i / 2 * 8 + t % 4 * 2;
      for (int c = 0; c < 2; ++c) {
        const uint16_t bits = encoded(a.at(row, k + c), test.variant.options.type);
        std::memcpy(
            &test.fragments[static_cast<std::size_t>(((step * 128 + t) * 4 + i) * 4 + c * 2)],
            &bits, 2);
      }
    }
  }
}

/// D as the threads hold it; see isa::wgmma.
class Expected {
 public:
  explicit Expected(int n) : n_(n), d_(static_cast<std::size_t>(64 * n)) {
    for_each_register([&](int t, int i, int& value) {
      value = static_cast<int>(initial_accumulator(static_cast<uint32_t>(t), i));
    });
  }

  void multiply(const Operand& a, const Operand& b, int sign, bool accumulate) {
    for (int m = 0; m < 64; ++m) {
      for (int n = 0; n < n_; ++n) {
        int sum = 0;
        for (int k = 0; k < depth; ++k) {
          sum += a.at(m, k) * b.at(n, k);
        }
        int& value = d_[static_cast<std::size_t>(m * n_ + n)];
        value = (accumulate ? value : 0) + sign * sum;
      }
    }
  }

  Bytes bytes() {
    Bytes result(d_.size() * 4);
    for_each_register([&](int t, int i, const int& value) {
      const auto number = static_cast<float>(value);
      std::memcpy(&result[static_cast<std::size_t>(t * n_ / 2 + i) * 4], &number, 4);
    });
    return result;
  }

 private:
  template <class Visit>
  void for_each_register(Visit visit) {
    for (int t = 0; t < 128; ++t) {
      for (int i = 0; i < n_ / 2; ++i) {
        const int m = t / 32 * 16 + i / 2 % 2 * 8 + t % 32 / 4;
        const int n = i / 4 * 8 + t % 4 * 2 + i % 2;
        visit(t, i, d_[static_cast<std::size_t>(m * n_ + n)]);
      }
    }
  }
  int n_;
  std::vector<int> d_;
};

std::string wgmma_name(int n, const WgmmaVariant& variant, int a_span, int b_span) {
  const auto operand = [](isa::Major major, int span, bool negated) {
    std::string text(major == isa::Major::k ? "k" : "mn");
    text += std::to_string(span);
    text += negated ? "_negated" : "";
    return text;
  };
  const auto& options = variant.options;
  std::string name("n");
  name += std::to_string(n);
  name += options.type == isa::WgmmaType::fp16 ? "_fp16_a_" : "_bf16_a_";
  name += variant.register_a ? (options.negate_a ? "registers_negated" : "registers")
                             : operand(options.a, a_span, options.negate_a);
  name += "_b_";
  name += operand(options.b, b_span, options.negate_b);
  return name;
}

/// `repeat` moves the swizzles on, so that each variant of each N meets several, and over all N
/// every pair of them.
WgmmaCase wgmma_case(int n, int index, int repeat) {
  constexpr int spans[] = {16, 32, 64, 128};
  WgmmaCase test;
  test.n = n;
  test.variant = wgmma_variant(n, index);
  const auto& options = test.variant.options;
  const int turn = n / 8 + index + repeat * 2;
  Operand a{.major = options.a, .rows = 64, .span = spans[turn % 4], .place = {}, .values = {}};
  Operand b{.major = options.b,
            .rows = n,
            .span = spans[(turn / 4 + n / 8 + repeat) % 4],
            .place = {},
            .values = {}};
  test.name = wgmma_name(n, test.variant, a.span, b.span);
  Dice dice(static_cast<uint64_t>((n * wgmma_variants + index) * 16 + repeat));
  test.image.assign(wgmma_image_bytes, 0xff);  // a NaN wherever no operand is
  test.fragments.assign(std::size_t{max_wgmma_steps} * 128 * 16, 0);
  Expected expected(n);
  uint32_t next = 0;
  const int wanted = dice.between(1, max_wgmma_steps);
  WgmmaArguments& args = test.arguments;
  while (args.count < wanted) {
    uint32_t end = test.variant.register_a ? next : draw_operand(dice, a, next);
    if (test.variant.register_a) {
      draw_operand(dice, a, 0);
    }
    end = draw_operand(dice, b, end);
    if (end > wgmma_image_bytes) {
      break;
    }
    next = end;
    if (test.variant.register_a) {
      put_in_fragments(test, a, args.count);
    } else {
      put_in_image(test, a);
    }
    put_in_image(test, b);
    const bool accumulate = dice.between(0, 3) != 0;
    expected.multiply(a, b, options.negate_a != options.negate_b ? -1 : 1, accumulate);
    args.steps[args.count++] = {.a = a.place, .b = b.place, .accumulate = accumulate};
  }
  args.image_bytes = next;
  args.variant = index;
  test.expected = expected.bytes();
  return test;
}

template <int... Is>
auto make_runners(std::integer_sequence<int, Is...>) {
  return std::array{&run_wgmma<8 * (Is + 1)>...};
}

Bytes run_case(const WgmmaCase& test, const Stream& stream) {
  static const auto runners = make_runners(std::make_integer_sequence<int, 32>{});
  const TargetBytes image(test.image);
  const TargetBytes fragments(test.fragments);
  const TargetBytes out(Bytes(test.expected.size(), canary));
  WgmmaArguments args = test.arguments;
  args.image = image.data();
  args.fragments = reinterpret_cast<const uint32_t*>(fragments.data());
  args.out = reinterpret_cast<float*>(out.data());
  runners[static_cast<std::size_t>(test.n / 8 - 1)](stream, args);
  return out.read();
}

TEST_CASE("differential: wgmma") {
  Results results("wgmma", on_gpu);
  for (int n = 8; n <= 256; n += 8) {
    for (int index = 0; index < wgmma_variants; ++index) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        const WgmmaCase test = wgmma_case(n, index, repeat);
        INFO(test.name);
        const Bytes found =
            run_case(test, one_stream(static_cast<uint64_t>(n / 8 + index + repeat)));
        CHECK(first_difference(found, test.expected) == "");
        CHECK(results.difference(test.name, found) == "");
      }
    }
  }
  CHECK(results.forgotten() == "");
  if (!results.recorded()) {
    SKIP("no recorded results");
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
