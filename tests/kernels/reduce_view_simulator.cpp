// Reductions along any dimension, and argmax, on the simulator: every kernel that they take, one
// segment and many, rows on 16 bytes and not, on every policy.
#include "reduction/reduce_line.h"
#include "tests/kernels/reduce_view_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32,
                                 ElementType::int32};
constexpr ReduceKind kinds[] = {ReduceKind::sum, ReduceKind::minimum, ReduceKind::maximum,
                                ReduceKind::norm};

/// Every kernel's shapes.
const ViewShape shapes[] = {
    // Columns: on 16 bytes, narrow ones that follow on each other, a pitch, an odd address.
    ViewShape::contiguous(1, 600, 64),
    ViewShape::contiguous(3, 300, 200),
    ViewShape::contiguous(1, 9000, 3),
    ViewShape::contiguous(2, 70, 1032),
    {2, 150, 264, 40000, 266, 1, 1},
    {1, 8000, 16, 0, 24, 1, 8},
    // Rows, of which two dimensions are kept; short rows.
    {3, 1100, 5, 9000, 1, 1500, 1},
    {70, 33, 3, 120, 1, 40, 2},
    // Anything: no dimension of neighbours, one result of many elements, nothing, one element.
    {5, 40, 7, 700, 2, 90, 3},
    {1, 9000, 1, 0, 3, 0},
    {4, 0, 9, 9, 9, 1},
    {2, 1, 300, 300, 300, 1},
    // All of the same element.
    {2, 500, 64, 64, 0, 1},
};

TEST_CASE("reduce: along any dimension, every kind and type") {
  unsigned seed = 0;
  for (const ViewShape& shape : shapes) {
    for (int run = 0; run < 4; ++run) {
      ++seed;
      const ElementType type = types[(seed + seed / 4) % 4];
      const ReduceKind kind =
          type == ElementType::int32 ? kinds[seed % 3] : kinds[(seed / 2 + seed) % 4];
      check_view(kind, type, types[seed / 2 % 3], shape, Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("argmax: along any dimension, ties, NaN and -inf") {
  unsigned seed = 100;
  for (const ViewShape& shape : shapes) {
    if (shape.reduced == 0) {
      continue;
    }
    for (int run = 0; run < 2; ++run) {
      ++seed;
      check_argmax(types[(seed + seed / 4) % 4], shape, Stream{.options = {.seed = seed}}, seed);
    }
  }
  for (const std::int64_t columns : {1, 8, 8191, 20001}) {
    ++seed;
    check_argmax(types[seed % 4], {1, columns, 1, 0, 1, 0, seed % 3},
                 Stream{.options = {.seed = seed}}, seed);
  }
}

TEST_CASE("reduce: the same bits under every schedule") {
  const ViewShape shape = ViewShape::contiguous(1, 700, 64);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const ViewCase x(ElementType::fp32, shape,
                   [&](std::int64_t, std::int64_t, std::int64_t) { return normal(random); });
  const TypedRowsCase out(ElementType::fp32, {.rows = 1, .columns = shape.inner});
  std::vector<double> first;
  on_every_schedule(5, [&](const Stream& stream) {
    out.poison_device();
    reduce(place_of(stream), out.matrix(), x.view());
    const std::vector<double> got = out.values();
    first = first.empty() ? got : first;
    CHECK(got == first);
  });
}

/// Small problems get narrow tiles: here they are as wide as large ones'.
TEST_CASE("reduce: wide tiles of columns, on 16 bytes and not") {
  for (const ViewShape& shape :
       {ViewShape{1, 30, 1500, 0, 1503, 1, 1}, ViewShape{2, 20, 1600, 40000, 1600, 1, 0}}) {
    const ViewCase x(ElementType::bf16, shape, [](std::int64_t o, std::int64_t k, std::int64_t i) {
      return static_cast<double>((o + k * 3 + i) % 7);
    });
    const DeviceArray<float> out(
        std::vector<float>(static_cast<std::size_t>(shape.outer * shape.inner), -1));
    const ReduceTask task{.x = x.view().data,
                          .out = out.data(),
                          .extents = {.outer = shape.outer,
                                      .reduced = shape.reduced,
                                      .inner = shape.inner,
                                      .x_outer = shape.outer_stride,
                                      .x_reduced = shape.reduced_stride,
                                      .x_inner = 1,
                                      .out_outer = shape.inner,
                                      .out_inner = 1,
                                      .segment = shape.reduced},
                          .type = ElementType::bf16,
                          .tile = 1024};
    int launched = 0;
    for (const ReduceLine& line : warpline_reduce_simulator_lines()->lines) {
      if (line.shape == ReduceShape::columns && line.type == task.type && line.step == task.step) {
        const ReducePass pass = line.encode(task);
        pass.launch(simulator::Options{}, pass);
        ++launched;
      }
    }
    REQUIRE(launched == 1);
    const std::vector<float> got = out.values();
    for (std::int64_t o = 0; o < shape.outer; ++o) {
      for (std::int64_t i = 0; i < shape.inner; ++i) {
        double sum = 0;
        for (std::int64_t k = 0; k < shape.reduced; ++k) {
          sum += x.at(o, k, i);
        }
        REQUIRE(static_cast<double>(got[static_cast<std::size_t>(o * shape.inner + i)]) == sum);
      }
    }
  }
}

TEST_CASE("reduce: along any dimension, every policy") {
  unsigned seed = 200;
  for (const simulator::Policy policy : every_policy) {
    for (int run = 0; run < 4; ++run) {
      ++seed;
      const Stream stream{.options = {.seed = seed, .policy = policy}};
      check_view(kinds[seed % 4], types[seed % 3], ElementType::fp32,
                 {1, 300, 136, 0, 136 + seed % 2, 1, seed % 2}, stream, seed);
      check_argmax(types[seed % 4], {2, 200, 96, 30000, 100, 1}, stream, seed);
      check_argmax(types[seed % 4], {1, 20000, 1, 0, 1, 0, 3}, stream, seed);
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
