// Rows, weights and results that begin anywhere, on the simulator: right, nothing written beside
// them, no byte read beside them.
#include "tests/kernels/rows_anywhere_checks.h"
#include "tests/support/guarded_memory.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("rows anywhere: 1 to 40 columns") {
  unsigned seed = 0;
  for (std::int64_t columns = 1; columns <= 40; ++columns) {
    for (const std::int64_t rows : {1, 19}) {
      ++seed;
      check_anywhere(rows, columns, Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("rows anywhere: around a warp's and a CTA's pieces") {
  unsigned seed = 100;
  for (const std::int64_t columns : {63, 65, 127, 129, 1001, 4097}) {
    for (int run = 0; run < 6; ++run) {
      ++seed;
      check_anywhere(columns > 4000 ? 3 : 9, columns, Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("rows anywhere: a vocabulary, in clusters") {
  check_anywhere(2, 50257, Stream{.options = {.seed = 201}}, 201);
  // In memory of their own: all operands begin at the same place in their 16 bytes.
  const RowShape shape{.rows = 3, .columns = 50257};
  check_norm({.layer = true, .x = shape, .y = shape, .bias = true}, Stream{.options = {.seed = 1}},
             1);
  check_norm_backward({.layer = true, .h = shape, .dx = shape, .dbias = true},
                      Stream{.options = {.seed = 2}}, 2);
}

TEST_CASE("long rows anywhere: streamed, with ends of every length") {
  unsigned seed = 400;
  for (const std::int64_t columns : {8193, 14337, 20482}) {
    for (const ElementType type : types_anywhere) {
      ++seed;
      const std::int64_t rows = columns < 10000 && type == ElementType::bf16 ? 5 : 1;
      check_long(type, {.rows = rows, .columns = columns, .offset = seed % 8},
                 Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("long rows anywhere: every policy") {
  unsigned seed = 500;
  for (const simulator::Policy policy : every_policy) {
    ++seed;
    check_long(ElementType::bf16, {.rows = 2, .columns = 8195, .padding = seed % 4 * 2},
               Stream{.options = {.seed = seed, .policy = policy}}, seed);
  }
}

TEST_CASE("rows anywhere: every policy") {
  unsigned seed = 300;
  for (const simulator::Policy policy : every_policy) {
    for (const std::int64_t columns : {13, 130, 1003, 2051, 9001}) {
      ++seed;
      check_anywhere(columns > 4000 ? 2 : 7, columns,
                     Stream{.options = {.seed = seed, .policy = policy}}, seed);
    }
  }
}

/// x, weight and bias, each with its last element (or its first) at the border of a page without
/// access, through everything that reads them.
void read_at_border(ElementType type, std::int64_t columns, bool at_end) {
  INFO(name_of(type) << ", " << columns << " columns, at the " << (at_end ? "end" : "start"));
  const std::int64_t rows = columns > 4000 ? 2 : 5;
  const auto row = static_cast<std::size_t>(columns * bytes_of(type));
  const GuardedMemory x(row * static_cast<std::size_t>(rows), at_end);
  const GuardedMemory weight(row, at_end);
  const GuardedMemory bias(row, at_end);
  const auto numbers = [&](const GuardedMemory& memory, std::int64_t count, double first) {
    for (std::int64_t i = 0; i < count; ++i) {
      encode(type, first + static_cast<double>(i % 5), memory.data() + i * bytes_of(type));
    }
  };
  numbers(x, rows * columns, -2);
  numbers(weight, columns, 1);
  numbers(bias, columns, -1);
  const TypedRowsCase y(ElementType::fp32, {.rows = rows, .columns = columns, .offset = 1});
  const auto wanted = [&](std::int64_t c, double normed) {
    return normed * (1 + static_cast<double>(c % 5)) - 1 + static_cast<double>(c % 5);
  };
  const DeviceArray<float> rstd(std::vector<float>(static_cast<std::size_t>(rows), 0.0F));
  const Matrix of_x(x.data(), type, rows, columns, columns);
  const Matrix of_weight(weight.data(), type, 1, columns, columns);
  const Matrix of_bias(bias.data(), type, 1, columns, columns);
  const Place place = simulator::Options{};
  rms_norm(place, y.matrix(), of_x, {.weight = of_weight, .bias = of_bias, .rstd = rstd.data()});
  const std::vector<double> got = y.values();
  REQUIRE(got.size() == static_cast<std::size_t>(rows * columns));
  int wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const double of_row = rstd.values()[static_cast<std::size_t>(r)];
    for (std::int64_t c = 0; c < columns; ++c) {
      const double normed = static_cast<double>((r * columns + c) % 5 - 2) * of_row;
      const double difference = got[static_cast<std::size_t>(r * columns + c)] - wanted(c, normed);
      wrong += std::abs(difference) < 1e-4 ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  softmax(place, y.matrix(), of_x, {.mask = of_weight});
  REQUIRE(y.values().size() == got.size());
  const TypedRowsCase dx(type, {.rows = rows, .columns = columns, .offset = 1});
  softmax_backward(place, dx.matrix(), of_x, of_x);
  rms_norm_backward(place, dx.matrix(), of_x, of_x, rstd.data(), {.weight = of_weight});
  REQUIRE(dx.values().size() == got.size());
}

TEST_CASE("rows anywhere: no byte beyond an operand's pages is read") {
  for (const ElementType type : types_anywhere) {
    for (const std::int64_t columns : {1, 7, 64, 65, 1001, 8195}) {
      for (const bool at_end : {false, true}) {
        read_at_border(type, columns, at_end);
      }
    }
  }
}

/// The result lies before the weight or behind it, without a byte between: the simulator reports a
/// race if what CTAs write there is read with the weight by others.
TEST_CASE("rows anywhere: no byte beside the weight is read") {
  constexpr std::int64_t rows = 40;
  for (const std::int64_t columns : {9, 63, 1001, 2051, 9001}) {
    for (const std::int64_t offset : {1, 7}) {
      for (const bool result_first : {false, true}) {
        INFO(columns << " columns, " << offset << " off, result first " << result_first);
        const std::int64_t count = columns > 4000 ? 5 : rows;
        TypedRowsCase memory(ElementType::bf16,
                             {.rows = count + 1, .columns = columns, .offset = offset});
        TypedRowsCase x(ElementType::bf16, {.rows = count, .columns = columns});
        memory.fill([](std::int64_t, std::int64_t) { return 1.0; });
        x.fill_reals(1);
        auto* const data = static_cast<unsigned char*>(memory.matrix().data);
        unsigned char* const weight = data + (result_first ? 2 * count * columns : 0);
        unsigned char* const result = data + (result_first ? 0 : 2 * columns);
        const MutableMatrix y(result, ElementType::bf16, count, columns, columns);
        const DeviceArray<float> rstd(std::vector<float>(static_cast<std::size_t>(count), 0.5F));
        const Matrix of_weight(weight, ElementType::bf16, 1, columns, columns);
        rms_norm(simulator::Options{}, y, x.matrix(), {.weight = of_weight, .bias = of_weight});
        softmax(simulator::Options{}, y, x.matrix(), {.mask = of_weight});
        rms_norm_backward(simulator::Options{}, y, x.matrix(), x.matrix(), rstd.data(),
                          {.weight = of_weight});
        const std::vector<double> now = memory.values();
        REQUIRE(now.size() == static_cast<std::size_t>((count + 1) * columns));
        for (std::int64_t c = 0; c < columns; ++c) {
          REQUIRE(now[static_cast<std::size_t>(c + (result_first ? count * columns : 0))] == 1.0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
