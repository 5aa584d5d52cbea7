// Cross-entropy and its gradient on the simulator: every length's kernel, with 16-byte rows and
// without, on every policy.
#include <functional>

#include "tests/kernels/cross_entropy_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

TEST_CASE("cross-entropy: lengths around every kernel's, several rows a CTA") {
  unsigned seed = 0;
  for (const std::int64_t columns : {1, 7, 64, 100, 256, 257, 512, 1000, 1025}) {
    for (const RowShape& shape :
         {RowShape{.rows = 37, .columns = columns}, RowShape{.rows = 3, .columns = columns},
          RowShape{.rows = 21, .columns = columns, .padding = 3, .offset = 1}}) {
      ++seed;
      check_cross_entropy(plain_cross_entropy(types[seed % 3], shape),
                          Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("cross-entropy: a CTA a row, and clusters") {
  unsigned seed = 100;
  for (const std::int64_t columns : {2048, 4097, 8001, 16384, 32000, 50257}) {
    ++seed;
    check_cross_entropy(plain_cross_entropy(types[seed % 3], {.rows = 3, .columns = columns}),
                        Stream{.options = {.seed = seed}}, seed);
  }
}

TEST_CASE("cross-entropy: the longest rows") {
  check_cross_entropy(plain_cross_entropy(ElementType::bf16, {.rows = 1, .columns = 128256}),
                      Stream{.options = {.seed = 1}}, 1);
  check_cross_entropy(plain_cross_entropy(ElementType::fp32, {.rows = 1, .columns = 262144}),
                      Stream{.options = {.seed = 2}}, 2);
}

TEST_CASE("cross-entropy: every policy") {
  unsigned seed = 200;
  for (const simulator::Policy policy : every_policy) {
    for (int run = 0; run < 2; ++run) {
      for (const std::int64_t columns : {3, 300, 1040, 4000, 17000}) {
        ++seed;
        check_cross_entropy(plain_cross_entropy(types[seed % 3], {.rows = columns < 2000 ? 50 : 4,
                                                                  .columns = columns,
                                                                  .padding = seed % 2 * 5}),
                            Stream{.options = {.seed = seed, .policy = policy}}, seed);
      }
    }
  }
}

TEST_CASE("cross-entropy: scale, smoothing, types, targets of 64 bits, in place") {
  unsigned seed = 300;
  for (const std::int64_t columns : {5, 64, 999, 2048, 6000}) {
    for (const ElementType dlogits_type : types) {
      ++seed;
      check_cross_entropy({.type = types[seed % 3],
                           .dlogits_type = dlogits_type,
                           .logits = {.rows = 12, .columns = columns},
                           .dlogits = {.rows = 12, .columns = columns, .padding = seed % 2 * 8},
                           .scale = seed % 2 == 0 ? 0.125f : 2.0f,
                           .smoothing = seed % 3 == 0 ? 0 : 0.1f,
                           .wide = seed % 4 < 2,
                           .extras = seed % 5 != 0,
                           .in_place = columns % 8 == 0 && dlogits_type == types[seed % 3]},
                          Stream{.options = {.seed = seed}}, seed, seed % 2 == 0 ? -100 : 1);
    }
  }
}

TEST_CASE("cross-entropy: rows with NaN and infinities") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  struct Row {
    float second;
    std::int32_t target;
    bool others_are_minus_infinity;
    double loss;
  };
  const float nan = std::nanf("");
  const double log_16 = std::log(16.0);
  const std::vector<Row> rows = {{0, 1, false, log_16},
                                 {nan, 0, false, nan},
                                 {infinity, 0, false, nan},
                                 {-infinity, 0, false, std::log(15.0)},
                                 {-infinity, 1, false, infinity},
                                 {-infinity, 0, true, nan},
                                 {3, 1, true, 0},
                                 {nan, -100, false, 0},
                                 {0, 16, false, nan},
                                 {0, -1, false, nan}};
  const auto count = static_cast<std::int64_t>(rows.size());
  TypedRowsCase logits(ElementType::fp32, {.rows = count, .columns = 16});
  logits.fill([&](std::int64_t r, std::int64_t c) {
    const Row& row = rows[static_cast<std::size_t>(r)];
    return c == 1 ? row.second : row.others_are_minus_infinity ? -infinity : 0.0f;
  });
  std::vector<std::int32_t> indices;
  std::vector<double> wanted;
  for (const Row& row : rows) {
    indices.push_back(row.target);
    wanted.push_back(row.loss);
  }
  const RowNumbers<std::int32_t> targets(indices);
  const RowNumbers<float> loss(std::vector<float>(rows.size(), -7));
  const RowNumbers<float> lse(std::vector<float>(rows.size(), -7));
  cross_entropy(simulator::Options{}, loss.data(), lse.data(), logits.matrix(), targets.data());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    INFO("row " << r);
    const float got = loss.now()[r];
    CHECK((std::isnan(wanted[r])   ? std::isnan(got)
           : std::isinf(wanted[r]) ? got == wanted[r]
                                   : std::abs(got - wanted[r]) < 1e-6));
  }
  const TypedRowsCase dlogits(ElementType::fp32, {.rows = count, .columns = 16});
  cross_entropy_backward(simulator::Options{}, dlogits.matrix(), logits.matrix(), targets.data(),
                         lse.data());
  const std::vector<double> gradient = dlogits.values();
  const auto at = [&](int row, int column) {
    return gradient[static_cast<std::size_t>(row * 16 + column)];
  };
  for (int c = 0; c < 16; ++c) {
    CHECK(std::abs(at(0, c) - (1.0 / 16 - (c == 1))) < 1e-6);
    for (const int row : {1, 5, 8, 9}) {
      INFO("row " << row << ", column " << c);
      CHECK(std::isnan(at(row, c)));
    }
    CHECK(std::abs(at(3, c) - (c == 1 ? 0 : 1.0 / 15) + (c == 0)) < 1e-6);
    CHECK(std::abs(at(4, c) - (c == 1 ? -1 : 1.0 / 15)) < 1e-6);
    CHECK(std::abs(at(6, c)) < 1e-6);
    CHECK(at(7, c) == 0);
  }
}

/// 12 rows of 40 columns and a number of each kind for every row, changed by `change`.
struct Call {
  MutableMatrix dlogits;
  Matrix logits;
  Targets targets;
  float* loss;
  float* lse;
  float* dloss;
  CrossEntropyOptions options = {};
};

std::string refusal(bool backward, const std::function<void(Call&)>& change) {
  static const TypedRowsCase logits(ElementType::fp32, {.rows = 12, .columns = 40});
  static const TypedRowsCase dlogits(ElementType::fp32, {.rows = 12, .columns = 40});
  static const RowNumbers<std::int64_t> targets(std::vector<std::int64_t>(12, 0));
  static const RowNumbers<float> numbers[3] = {RowNumbers<float>(std::vector<float>(12, 0)),
                                               RowNumbers<float>(std::vector<float>(12, 0)),
                                               RowNumbers<float>(std::vector<float>(12, 0))};
  Call call{.dlogits = dlogits.matrix(),
            .logits = logits.matrix(),
            .targets = targets.data(),
            .loss = numbers[0].data(),
            .lse = numbers[1].data(),
            .dloss = numbers[2].data()};
  change(call);
  try {
    if (backward) {
      cross_entropy_backward_plan(simulator::Options{}, call.dlogits, call.logits, call.targets,
                                  call.lse, call.dloss, call.options);
    } else {
      cross_entropy_plan(simulator::Options{}, call.loss, call.lse, call.logits, call.targets,
                         call.options);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_CASE("cross-entropy: what it refuses") {
  const std::string fine = "nothing was refused";
  CHECK(refusal(false, [](Call&) {}) == fine);
  CHECK(refusal(true, [](Call&) {}) == fine);
  CHECK(refusal(false, [](Call& c) { c.lse = nullptr; }) == fine);
  CHECK(refusal(true, [](Call& c) { c.dloss = nullptr; }) == fine);
  CHECK(refusal(true, [](Call& c) { c.dlogits.data = const_cast<void*>(c.logits.data); }) == fine);
  CHECK(refusal(false, [](Call& c) {
          c.logits.rows = 0;
          c.targets = {};
          c.loss = nullptr;
        }) == fine);
  CHECK_THAT(refusal(false, [](Call& c) { c.targets = {}; }),
             ContainsSubstring("cross_entropy: targets: its address is null"));
  CHECK_THAT(refusal(true, [](Call& c) { c.lse = nullptr; }),
             ContainsSubstring("cross_entropy_backward: lse: its address is null"));
  CHECK_THAT(refusal(false,
                     [](Call& c) {
                       c.targets.data = static_cast<const unsigned char*>(c.targets.data) + 4;
                     }),
             ContainsSubstring("targets: its address is no multiple of 8, the size of its"));
  CHECK_THAT(refusal(false, [](Call& c) { c.lse = c.loss + 11; }),
             ContainsSubstring("loss and lse overlap"));
  CHECK_THAT(
      refusal(false,
              [](Call& c) { c.loss = static_cast<float*>(const_cast<void*>(c.logits.data)) + 40; }),
      ContainsSubstring("loss and logits overlap"));
  CHECK_THAT(refusal(true, [](Call& c) { c.dlogits.rows = 11; }),
             ContainsSubstring("dlogits is 11 x 40, and the rows are 12 x 40"));
  CHECK_THAT(refusal(false, [](Call& c) { c.logits.columns = 0; }),
             ContainsSubstring("logits has no columns: there is no class"));
  CHECK_THAT(refusal(false, [](Call& c) { c.options.scale = std::nanf(""); }),
             ContainsSubstring("cross_entropy: scale is NaN"));
  CHECK_THAT(refusal(true, [](Call& c) { c.options.label_smoothing = 1.5f; }),
             ContainsSubstring("label_smoothing is 1.500000; it is 0 to 1"));
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
