// The gradients of RMSNorm and LayerNorm on the simulator: every length's kernel, rows on 16 bytes
// and not, on every policy.
#include "normalization/norm_gradients.h"
#include "tests/kernels/norm_backward_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

/// Everything that can be asked for, drawn from the seed.
NormBackwardCase some_case(unsigned seed, const RowShape& shape) {
  return {.layer = seed % 2 == 0,
          .type = types[seed % 3],
          .weight_type = types[seed / 5 % 3],
          .gradient_type = types[seed / 3 % 3],
          .h = shape,
          .dx = {.rows = shape.rows,
                 .columns = shape.columns,
                 .padding = shape.padding + seed / 2 % 3 * 8},
          .weight = seed % 5 != 0,
          .dsum = seed / 2 % 2 == 0,
          .dweight = seed % 7 != 0,
          .dbias = seed % 3 != 1,
          .shift = seed / 4 % 2 * 20.0};
}

TEST_CASE("norm gradients: lengths around every kernel's, several rows a CTA") {
  unsigned seed = 0;
  for (const std::int64_t columns : {1, 7, 8, 120, 128, 129, 200, 512, 513, 520}) {
    for (const RowShape& shape :
         {RowShape{.rows = 41, .columns = columns}, RowShape{.rows = 3, .columns = columns},
          RowShape{.rows = 70, .columns = columns, .padding = 8},
          RowShape{.rows = 21, .columns = columns, .padding = 3, .offset = 1}}) {
      ++seed;
      check_norm_backward(some_case(seed, shape), Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("norm gradients: a CTA a row, and clusters") {
  unsigned seed = 100;
  for (const std::int64_t columns : {600, 1031, 2048, 2056, 5001, 5120, 8192, 12000, 20011}) {
    for (const std::int64_t padding : {0, 8}) {
      ++seed;
      check_norm_backward(
          some_case(seed, {.rows = columns > 8192 ? 3 : 9, .columns = columns, .padding = padding}),
          Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("norm gradients: the longest rows") {
  check_norm_backward({.layer = true,
                       .h = {.rows = 2, .columns = 40008},
                       .dx = {.rows = 2, .columns = 40008},
                       .dsum = true,
                       .dbias = true},
                      Stream{.options = {.seed = 1}}, 1);
  for (const ElementType type : {ElementType::bf16, ElementType::fp32}) {
    check_norm_backward({.layer = true,
                         .type = type,
                         .h = {.rows = 1, .columns = 131080},
                         .dx = {.rows = 1, .columns = 131080},
                         .dbias = true},
                        Stream{.options = {.seed = 2}}, 2);
  }
}

TEST_CASE("norm gradients: every policy") {
  unsigned seed = 200;
  for (const simulator::Policy policy : every_policy) {
    for (int run = 0; run < 3; ++run) {
      for (const std::int64_t columns : {24, 200, 300, 1040, 4808, 9000}) {
        ++seed;
        check_norm_backward(some_case(seed, {.rows = columns > 4000 ? 3 : 40,
                                             .columns = columns,
                                             .padding = seed % 2 * 5}),
                            Stream{.options = {.seed = seed, .policy = policy}}, seed);
      }
    }
  }
}

TEST_CASE("norm gradients: rows fewer than stages, and a few more, one and several in a stage") {
  unsigned seed = 300;
  for (const std::int64_t columns : {96, 1024, 1032, 2048, 4096, 8200}) {
    for (const std::int64_t rows : {1, 2, 3, 4, 5, 7, 8, 12}) {
      ++seed;
      NormBackwardCase how = some_case(seed, {.rows = rows, .columns = columns});
      how.type = types[seed % 2];
      check_norm_backward(how, Stream{.options = {.seed = seed, .policy = every_policy[seed % 3]}},
                          seed);
    }
  }
}

TEST_CASE("norm gradients: sums of any number of CTAs' rows, to any type and address") {
  // Of many CTAs' rows only the simulator's few are tried elsewhere.
  for (const int rows : {0, 1, 7, 15, 16, 33, 70, 132, 264, 528}) {
    constexpr std::int64_t columns = 45;
    const auto count = static_cast<std::size_t>(rows * columns);
    std::vector<float> partial(count + 1);
    for (std::size_t i = 0; i < partial.size(); ++i) {
      partial[i] = static_cast<float>(i * 7 % 5) - 2;  // exact in every type
    }
    const DeviceArray<float> workspace(partial);
    const TypedRowsCase first(ElementType::bf16, {.rows = 1, .columns = columns, .offset = 1});
    const TypedRowsCase second(ElementType::fp32, {.rows = 1, .columns = columns});
    NormGradients gradients{.count = 2, .rows = rows, .columns = columns};
    gradients.gradient[0] = {workspace.data(), first.matrix().data, ElementType::bf16};
    gradients.gradient[1] = {workspace.data() + 1, second.matrix().data, ElementType::fp32};
    gradients.choose_parts();
    on_every_schedule(2, [&](const Stream& stream) {
      first.poison_device();
      second.poison_device();
      launch_norm_gradients(place_of(stream), gradients);
      bool right = true;
      for (std::int64_t c = 0; c < columns; ++c) {
        double sums[2] = {};
        for (int row = 0; row < rows; ++row) {
          for (int i = 0; i < 2; ++i) {
            sums[i] +=
                static_cast<double>(partial[static_cast<std::size_t>(row * columns + c + i)]);
          }
        }
        right = right && first.values()[static_cast<std::size_t>(c)] == sums[0] &&
                second.values()[static_cast<std::size_t>(c)] == sums[1];
      }
      CHECK(right);
    });
  }
}

TEST_CASE("norm gradients: a NaN makes its row NaN, and its column's sum") {
  for (const std::int64_t columns : {40, 1000}) {
    const RowShape shape{.rows = 3, .columns = columns};
    TypedRowsCase h(ElementType::fp16, shape);
    TypedRowsCase dy(ElementType::fp16, shape);
    h.fill([](std::int64_t r, std::int64_t c) {
      return r == 1 && c == 7 ? std::nan("") : static_cast<double>(c % 5);
    });
    dy.fill_reals(2);
    const DeviceArray<float> rstd(std::vector<float>(3, 0.3F));
    const TypedRowsCase dx(ElementType::fp16, shape);
    const TypedRowsCase dweight(ElementType::fp32, {.rows = 1, .columns = columns});
    rms_norm_backward(simulator::Options{}, dx.matrix(), dy.matrix(), h.matrix(), rstd.data(),
                      {.dweight = dweight.matrix()});
    const std::vector<double> got = dx.values();
    const std::vector<double> sums = dweight.values();
    int wrong = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t r = 0; r < 3; ++r) {
        wrong += std::isnan(got[static_cast<std::size_t>(r * columns + c)]) == (r == 1) ? 0 : 1;
      }
      wrong += std::isnan(sums[static_cast<std::size_t>(c)]) == (c == 7) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("norm gradients: the same bits under every schedule") {
  for (const std::int64_t columns : {200, 1000}) {
    const RowShape shape{.rows = 30, .columns = columns};
    TypedRowsCase h(ElementType::bf16, shape);
    TypedRowsCase dy(ElementType::bf16, shape);
    h.fill_reals(1);
    dy.fill_reals(2);
    const DeviceArray<float> rstd(std::vector<float>(30, 0.3F));
    const TypedRowsCase dx(ElementType::bf16, shape);
    const TypedRowsCase dweight(ElementType::fp32, {.rows = 1, .columns = columns});
    std::vector<double> first;
    on_every_schedule(3, [&](const Stream& stream) {
      dweight.poison_device();
      rms_norm_backward(place_of(stream), dx.matrix(), dy.matrix(), h.matrix(), rstd.data(),
                        {.dweight = dweight.matrix()});
      const std::vector<double> got = dweight.values();
      first = first.empty() ? got : first;
      CHECK(got == first);
    });
  }
}

/// The gradient of sum(y * dy), by the forward pass itself: what the backward pass is told of it
/// fits.
TEST_CASE("norm gradients: of what the forward pass has left") {
  for (const bool layer : {false, true}) {
    constexpr std::int64_t columns = 24;
    const RowShape shape{.rows = 1, .columns = columns};
    TypedRowsCase x(ElementType::fp32, shape);
    TypedRowsCase dy(ElementType::fp32, shape);
    TypedRowsCase weight(ElementType::fp32, shape);
    x.fill_reals(1);
    dy.fill_reals(2, 1);
    weight.fill_reals(3, 1);
    const TypedRowsCase y(ElementType::fp32, shape);
    const TypedRowsCase dx(ElementType::fp32, shape);
    const DeviceArray<float> rstd(std::vector<float>(1));
    const DeviceArray<float> mean(std::vector<float>(1));
    const Place place = simulator::Options{};
    const auto loss = [&] {
      NormOptions options{.weight = weight.matrix(), .rstd = rstd.data()};
      if (layer) {
        options.mean = mean.data();
        layer_norm(place, y.matrix(), x.matrix(), options);
      } else {
        rms_norm(place, y.matrix(), x.matrix(), options);
      }
      double sum = 0;
      const std::vector<double> values = y.values();
      for (std::int64_t c = 0; c < columns; ++c) {
        sum += values[static_cast<std::size_t>(c)] * dy.at(0, c);
      }
      return sum;
    };
    loss();
    if (layer) {
      layer_norm_backward(place, dx.matrix(), dy.matrix(), x.matrix(), mean.data(), rstd.data(),
                          {.weight = weight.matrix()});
    } else {
      rms_norm_backward(place, dx.matrix(), dy.matrix(), x.matrix(), rstd.data(),
                        {.weight = weight.matrix()});
    }
    const std::vector<double> gradient = dx.values();
    std::vector<double> kept;
    for (std::int64_t c = 0; c < columns; ++c) {
      kept.push_back(x.at(0, c));
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      constexpr double step = 0.02;
      double difference = 0;
      for (const double sign : {1.0, -1.0}) {
        x.fill([&](std::int64_t, std::int64_t at) {
          return kept[static_cast<std::size_t>(at)] + (at == c ? sign * step : 0);
        });
        difference += sign * loss() / (2 * step);
      }
      // Central differences: the third derivative times step^2 / 6, and fp32's rounding of y.
      CHECK(std::abs(difference - gradient[static_cast<std::size_t>(c)]) < 2e-3);
    }
  }
}

TEST_CASE("norm gradients: no rows, in place, a workspace of the caller's") {
  const Place place = simulator::Options{};
  constexpr std::int64_t columns = 40;
  const TypedRowsCase dweight(ElementType::bf16, {.rows = 1, .columns = columns});
  MutableMatrix nothing(nullptr, ElementType::bf16, 0, columns, columns);
  rms_norm_backward(place, nothing, nothing, nothing, nullptr, {.dweight = dweight.matrix()});
  CHECK(dweight.values() == std::vector<double>(columns, 0.0));

  const RowShape shape{.rows = 5, .columns = columns};
  TypedRowsCase h(ElementType::bf16, shape);
  TypedRowsCase dy(ElementType::bf16, shape);
  h.fill_reals(1);
  dy.fill_reals(2);
  const DeviceArray<float> rstd(std::vector<float>(5, 0.25F));
  const TypedRowsCase dx(ElementType::bf16, shape);
  const auto plan_to = [&](const MutableMatrix& to, const NormBackwardOptions& options) {
    return rms_norm_backward_plan(place, to, dy.matrix(), h.matrix(), rstd.data(), options);
  };
  const PreparedNormBackward plan = plan_to(dx.matrix(), {.dweight = dweight.matrix()});
  plan.run(place);
  const std::vector<double> wanted = dx.values();
  const std::vector<double> wanted_sums = dweight.values();
  const DeviceArray<unsigned char> workspace(
      std::vector<unsigned char>(plan.workspace_bytes() + 16, 0x7f));
  plan_to(dy.matrix(), {.dweight = dweight.matrix(),
                        .workspace = workspace.data(),
                        .workspace_bytes = plan.workspace_bytes()})
      .run(place);
  CHECK(dy.values() == wanted);
  CHECK(dweight.values() == wanted_sums);
  CHECK_THROWS_WITH(
      plan_to(dx.matrix(),
              {.dweight = dweight.matrix(), .workspace = workspace.data(), .workspace_bytes = 8}),
      Catch::Matchers::ContainsSubstring("workspace has 8 bytes; "));
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
