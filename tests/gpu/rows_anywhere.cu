// Kernels of rows whose operands begin anywhere, on the GPU, and runs that follow on each other
// without a pause.
#include "reduction/reduce.h"
#include "tests/kernels/rows_anywhere_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("rows anywhere on the GPU: every length's kernel") {
  unsigned seed = 0;
  for (const std::int64_t columns :
       {1,    2,    7,    13,   40,   63,    65,    127,   129,   255,    500,    1001,
        1017, 2047, 4097, 8191, 9001, 20003, 40001, 50257, 65537, 100003, 140001, 262143}) {
    for (int run = 0; run < 3; ++run) {
      ++seed;
      check_anywhere(std::max<std::int64_t>(3, std::min<std::int64_t>(2000, 200000 / columns)),
                     columns, Stream{}, seed);
    }
  }
}

TEST_CASE("long rows anywhere on the GPU") {
  unsigned seed = 0;
  for (const std::int64_t columns :
       {8193, 9001, 14337, 16383, 20482, 50257, 65529, 65531, 100003, 131075, 262137}) {
    for (const ElementType type : types_anywhere) {
      for (const std::int64_t rows : {1, 3, 70}) {
        if (rows * columns > 1500000) {
          continue;  // a minute of references
        }
        ++seed;
        check_long(type,
                   {.rows = rows, .columns = columns, .padding = seed % 5, .offset = seed % 8},
                   Stream{}, seed);
      }
    }
  }
}

TEST_CASE("rows anywhere on the GPU: again and again") {
  on_every_schedule(1, [](const Stream& stream) {
    check_anywhere(40, 1001, stream, 1);
    check_anywhere(4, 20003, stream, 2);
  });
}

/// Each of these kernels may start before the one before it has ended, and reads what that one has
/// written: the same as if the host had waited for each.
TEST_CASE("rows on the GPU: dependent launches, each reading what the one before has written") {
  for (const std::int64_t columns : {200, 1001, 4096, 20000}) {
    INFO(columns << " columns");
    const std::int64_t rows = 400000 / columns;
    const RowShape shape{.rows = rows, .columns = columns};
    TypedRowsCase x(ElementType::bf16, shape);
    x.fill_reals(1);
    TypedRowsCase weight(ElementType::fp32, {.columns = columns});
    weight.fill_reals(2, 1);
    const auto results = [&](bool waits) {
      const TypedRowsCase y(ElementType::bf16, shape);
      const TypedRowsCase p(ElementType::bf16, shape);
      const TypedRowsCase dp(ElementType::bf16, shape);
      const TypedRowsCase dx(ElementType::bf16, shape);
      const TypedRowsCase dweight(ElementType::fp32, {.columns = columns});
      const TypedRowsCase dbias(ElementType::fp32, {.columns = columns});
      const TypedRowsCase sums(ElementType::fp32, {.columns = columns});
      const DeviceArray<float> rstd(std::vector<float>(static_cast<std::size_t>(rows)));
      const DeviceArray<float> mean(std::vector<float>(static_cast<std::size_t>(rows)));
      const DeviceArray<std::int64_t> largest(
          std::vector<std::int64_t>(static_cast<std::size_t>(rows), -1));
      const Place place = Stream{};
      const auto forward =
          layer_norm_plan(place, y.matrix(), x.matrix(),
                          {.weight = weight.matrix(), .rstd = rstd.data(), .mean = mean.data()});
      const auto probabilities = softmax_plan(place, p.matrix(), y.matrix());
      const auto of_softmax = softmax_backward_plan(place, dp.matrix(), p.matrix(), y.matrix());
      const auto of_norm = layer_norm_backward_plan(
          place, dx.matrix(), dp.matrix(), x.matrix(), mean.data(), rstd.data(),
          {.weight = weight.matrix(), .dweight = dweight.matrix(), .dbias = dbias.matrix()});
      const auto columns_of_dx =
          reduce_plan(place, sums.matrix(), ReduceView::columns_of(dx.matrix()));
      const auto rows_of_dx = argmax_plan(place, largest.data(), dx.matrix());
      const auto wait = [&] {
        if (waits) {
          synchronize(Stream{});
        }
      };
      // The next turn's norm overwrites what this one's gradients have read.
      for (int turn = 0; turn < 20; ++turn) {
        forward.run(place);
        wait();
        probabilities.run(place);
        wait();
        of_softmax.run(place);
        wait();
        of_norm.run(place);
        wait();
        columns_of_dx.run(place);
        wait();
        rows_of_dx.run(place);
        wait();
      }
      std::vector<double> all = dx.values();
      for (const TypedRowsCase* more : {&dp, &dweight, &dbias, &sums}) {
        const std::vector<double> values = more->values();
        all.insert(all.end(), values.begin(), values.end());
      }
      for (const std::int64_t place_of_largest : largest.values()) {
        all.push_back(static_cast<double>(place_of_largest));
      }
      return all;
    };
    const std::vector<double> wanted = results(true);
    REQUIRE(wanted.size() == static_cast<std::size_t>(2 * rows * columns + 3 * columns + rows));
    CHECK(results(false) == wanted);
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
