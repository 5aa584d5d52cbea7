// Matmuls with epilogues fixed at compile time, on the simulator.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/kernels/matmul_composed.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("an epilogue of one's own: bias, and ten lines of the test") {
  unsigned seed = 0;
  for (const simulator::Policy policy : every_policy) {
    for (const std::int64_t n : {1, 64, 139}) {
      ++seed;
      check_composed(simulator::Options{.seed = seed, .policy = policy}, 137, n, 90, seed);
    }
  }
}

TEST_CASE("gated pairs: SwiGLU of two column blocks") {
  unsigned seed = 100;
  for (const simulator::Policy policy : every_policy) {
    for (const std::int64_t n : {8, 64, 136}) {
      ++seed;
      check_gated<small_tiles>(simulator::Options{.seed = seed, .policy = policy}, 150, n, 300,
                               seed);
      check_gated<small_tiles_along_n>(simulator::Options{.seed = seed, .policy = policy}, 70, n,
                                       40, seed);
    }
  }
  check_gated<small_tiles>(simulator::Options{}, 9, 13, 20, 7);
}

TEST_CASE("gated pairs: what is refused") {
  const ComposedCase odd(8, 7, 16, 1, Placement::Way::columns, 1);
  PlacedMatrix d(ElementType::fp16, 8, 3, 1, {});
  d.upload();
  const auto run = [&](const MutableMatrix& out) {
    gated_matmul_with<__half, ElementType::fp16, small_tiles>(simulator::Options{}, out, odd.a(),
                                                              odd.b(), SwiGlu{});
  };
  REQUIRE_THROWS_WITH(run(ComposedCase::view(d)), Catch::Matchers::ContainsSubstring("no pairs"));
  REQUIRE_THROWS_WITH(run({nullptr, ElementType::fp32, 8, 3, 3}),
                      Catch::Matchers::ContainsSubstring("the kernel stores fp16"));
}

/// Fp16 operands of 40 x 24 x 32 (gated: of two times 12 columns) and an fp32 D, each in its own
/// memory; changed by `change`.
struct ComposedOperands {
  MutableMatrix d;
  Matrix a;
  Matrix b;
  ComposedOptions options = {};
};

template <bool Gated>
std::string refusal_of(const std::function<void(ComposedOperands&)>& change) {
  static const DeviceArray<__half> a(std::vector<__half>(4096));
  static const DeviceArray<__half> b(std::vector<__half>(4096));
  static const DeviceArray<float> d(std::vector<float>(4096));
  ComposedOperands call{.d = row_major(d.data(), 40, Gated ? 12 : 24),
                        .a = row_major(a.data(), 40, 32),
                        .b = column_major(b.data(), 32, 24)};
  change(call);
  try {
    if constexpr (Gated) {
      gated_matmul_with<__half, ElementType::fp32, small_tiles>(
          simulator::Options{}, call.d, call.a, call.b, SwiGlu{}, call.options);
    } else {
      matmul_with<__half, ElementType::fp32, small_tiles>(simulator::Options{}, call.d, call.a,
                                                          call.b, Relu{}, call.options);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

template <bool Gated>
void check_refusals() {
  using Operands = ComposedOperands;
  const auto refusal = [](const std::function<void(Operands&)>& change) {
    return refusal_of<Gated>(change);
  };
  using Catch::Matchers::ContainsSubstring;
  CHECK(refusal([](Operands&) {}) == "nothing was refused");
  CHECK(refusal([](Operands& o) { o.d.rows = o.a.rows = 0; }) == "nothing was refused");
  CHECK(refusal([](Operands& o) { o.options.batch = 0; }) == "nothing was refused");
  CHECK_THAT(refusal([](Operands& o) { o.d.data = nullptr; }),
             ContainsSubstring("D: its address is null"));
  CHECK_THAT(refusal([](Operands& o) { o.a.data = nullptr; }),
             ContainsSubstring("A: its address is null"));
  CHECK_THAT(refusal([](Operands& o) { o.b.data = nullptr; }),
             ContainsSubstring("B: its address is null"));
  CHECK_THAT(refusal([](Operands& o) { o.options.batch = -1; }),
             ContainsSubstring("batch is -1; 0 or more is possible"));
  CHECK_THAT(refusal([](Operands& o) { o.options.max_ctas = -2; }),
             ContainsSubstring("max_ctas is -2; 0 or more is possible"));
  CHECK_THAT(refusal([](Operands& o) { o.options.raster = -3; }),
             ContainsSubstring("raster is -3; 0 or more is possible"));
  CHECK_THAT(refusal([](Operands& o) { o.d.rows = -1; }),
             ContainsSubstring("D: it has -1 rows; 0 to "));
  CHECK_THAT(refusal([](Operands& o) { o.a.row_stride = -32; }),
             ContainsSubstring("A: its row stride is -32; strides are 0 or more"));
  CHECK_THAT(refusal([](Operands& o) { o.d.rows = 41; }),
             ContainsSubstring("D: its rows are 41, but A's are 40; both are M"));
  CHECK_THAT(refusal([](Operands& o) { o.b.rows = 31; }),
             ContainsSubstring("B: its rows are 31, but A's columns are 32; both are K"));
  CHECK_THAT(refusal([](Operands& o) { o.a.type = o.b.type = ElementType::bf16; }),
             ContainsSubstring("A: its elements are bf16; the kernel multiplies fp16"));
  CHECK_THAT(refusal([](Operands& o) { o.b.type = ElementType::bf16; }),
             ContainsSubstring("they must be of one type"));
  CHECK_THAT(refusal([](Operands& o) { o.a.columns = o.b.rows = 0; }),
             ContainsSubstring("A: it has 0 columns; the kernel needs a K of 1 or more"));
  CHECK_THAT(refusal([](Operands& o) { o.a = Matrix(o.d.data, o.a.type, 40, 32, 32); }),
             ContainsSubstring("an output must not share memory with an input"));
  CHECK_THAT(refusal([](Operands& o) { o.d.row_stride = 0; }),
             ContainsSubstring("D: its strides lead from different indices to one element"));
  CHECK_THAT(refusal([](Operands& o) {
               o.options.batch = 2;
               o.a.batch_stride = 40 * 32;
             }),
             ContainsSubstring("D: its strides lead from different indices to one element"));
  CHECK_THAT(refusal([](Operands& o) { std::swap(o.b.row_stride, o.b.column_stride); }),
             ContainsSubstring("B's rows must be 1 element apart"));
}

TEST_CASE("an epilogue of one's own: refused in the words of matmul") { check_refusals<false>(); }

TEST_CASE("gated pairs: refused in the words of matmul") {
  check_refusals<true>();
  // D where the second half of B lies, and nothing else.
  CHECK_THAT(refusal_of<true>([](ComposedOperands& o) {
               o.d = MutableMatrix(static_cast<unsigned char*>(const_cast<void*>(o.b.data)) +
                                       12 * 32 * sizeof(__half),
                                   ElementType::fp32, 2, 12, 12);
               o.a.rows = 2;
             }),
             Catch::Matchers::ContainsSubstring("an output must not share memory with an input"));
}

TEST_CASE("epilogues of one's own: operands at any addresses, one after the other") {
  constexpr std::int64_t m = 70;
  constexpr std::int64_t n = 24;
  constexpr std::int64_t k = 40;
  const ComposedCase problem(m, 2 * n, k, 2, Placement::Way::columns, 3);
  const Matrix a = problem.a();
  const Matrix b = problem.b();
  const auto of_second = [](const Matrix& matrix) -> const void* {
    return static_cast<const unsigned char*>(matrix.data) + matrix.batch_stride * 2;
  };
  // The second problem first.
  const void* const at_a[] = {of_second(a), a.data};
  const void* const at_b[] = {of_second(b), b.data};
  PlacedMatrix d(ElementType::fp32, m, 2 * n, 2, {});
  PlacedMatrix gated(ElementType::fp32, m, n, 2, {});
  d.upload();
  gated.upload();
  const auto places = [](const PlacedMatrix& matrix) {
    auto* const first = static_cast<unsigned char*>(matrix.data());
    return std::vector<void*>{first, first + matrix.batch_stride() * 4};
  };
  matmul_with<__half, ElementType::fp32, small_tiles>(simulator::Options{},
                                                      ComposedCase::view(d).at(places(d).data()),
                                                      a.at(at_a), b.at(at_b), Relu{}, {.batch = 2});
  gated_matmul_with<__half, ElementType::fp32, small_tiles>(
      simulator::Options{}, ComposedCase::view(gated).at(places(gated).data()), a.at(at_a),
      b.at(at_b), SwiGlu{}, {.batch = 2});
  REQUIRE(d.error([&](std::int64_t matrix, std::int64_t row, std::int64_t column) {
    return Bounded{std::max(0.0, problem.sum(1 - matrix, row, column)), 0};
  }) == "");
  REQUIRE(gated.error([&](std::int64_t matrix, std::int64_t row, std::int64_t column) {
    const Bounded gate =
        step_of({.kind = EpilogueStep::Kind::silu}, {problem.sum(1 - matrix, row, column), 0}, 0);
    return rounded_product(gate, problem.sum(1 - matrix, row, n + column));
  }) == "");
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
