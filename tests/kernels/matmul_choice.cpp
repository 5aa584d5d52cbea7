// Which kernel the model takes for an H200's 132 multiprocessors, by what the choice must be
// whatever the constants.
#include "matmul/choice.h"
#include "matmul/cost.h"
#include "matmul/fit.h"
#include "matmul/measured_choices.h"
#include "tests/support/catch.h"
#include "warpline/error.h"

namespace warpline::tests {
namespace {

constexpr int h200 = 132;

/// Contiguous A and B of contiguous K, row-major D, at addresses that nothing reads.
MatmulCall call_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address << 40); };
  MatmulCall call{.m = m, .n = n, .k = k, .problems = 1, .batch = 1};
  call.a = Matrix(at(1), ElementType::bf16, m, k, k);
  call.b = Matrix(at(2), ElementType::bf16, k, n, 1, k);
  call.d = MutableMatrix(at(3), ElementType::bf16, m, n, n);
  return call;
}

MatmulChoice choice_of(const MatmulCall& call, const MatmulOptions& options = {}) {
  return choose_kernel(simulator_matmul_lines(), call, options, h200);
}

TEST_CASE("large problems get large tiles") {
  for (const std::int64_t extent : {4096, 8192, 16384}) {
    const MatmulChoice choice = choice_of(call_of(extent, extent, extent));
    CHECK(choice.line->block_m * choice.line->block_n >= 128 * 256);
  }
}

TEST_CASE("few rows are computed as columns of a narrow tile") {
  for (const std::int64_t m : {16, 33, 64}) {
    const MatmulChoice choice = choice_of(call_of(m, 8192, 8192));
    INFO(choice.reason);
    CHECK(choice.exchanged);
    CHECK(choice.line->block_n >= m);
    CHECK(choice.line->block_n < 2 * std::max<std::int64_t>(m, 16));
  }
}

TEST_CASE("a row or a few stream large weights, if there is room for them") {
  const auto name_of = [](const MatmulCall& call, const MatmulOptions& options = {}) {
    return std::string(choice_of(call, options).line->name);
  };
  for (const std::int64_t m : {1, 2, 3}) {
    CHECK(name_of(call_of(m, 40000, 12000)) == "few_rows");
    CHECK(name_of(call_of(m, 40000, 12000), {.epilogue = {epilogue::relu()}}) == "few_rows");
  }
  // The same of few columns, whose rows are then the call's.
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address << 40); };
  MatmulCall columns = call_of(40000, 1, 12000);
  columns.d = MutableMatrix(at(3), ElementType::bf16, 40000, 1, 1);
  const MatmulChoice choice = choice_of(columns);
  CHECK(choice.line->name == std::string("few_rows"));
  CHECK(choice.exchanged);
}

TEST_CASE("few_rows says what it cannot") {
  using Catch::Matchers::ContainsSubstring;
  const auto obstacle = [](const MatmulCall& call, int splits = 0) {
    try {
      (void)choice_of(call, {.kernel = "few_rows", .splits = splits});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(obstacle(call_of(16, 100, 3744)) == "none");
  CHECK(obstacle(call_of(1, 100, 62656)) == "none");
  CHECK_THAT(obstacle(call_of(17, 100, 512)),
             ContainsSubstring("it takes 16 rows of A (or columns of B), not 17"));
  CHECK_THAT(obstacle(call_of(16, 100, 4096)), ContainsSubstring("more than the 62720 that"));
  CHECK_THAT(obstacle(call_of(1, 100, 62720)), ContainsSubstring("more than the 62720 that"));
  CHECK_THAT(obstacle(call_of(2, 100, 512), 3), ContainsSubstring("it takes none"));
  MatmulCall odd = call_of(2, 100, 508);
  odd.a = Matrix(odd.a.data, ElementType::bf16, 2, 508, 512);
  odd.b = Matrix(odd.b.data, ElementType::bf16, 508, 100, 1, 512);
  CHECK_THAT(obstacle(odd), ContainsSubstring("K is 508; it takes multiples of 8"));
}

TEST_CASE("of what the copy engine does not take, small problems get small tiles") {
  for (const std::int64_t extent : {63, 100, 129, 255}) {
    const MatmulChoice choice = choice_of(call_of(extent, extent, extent + 1 + extent % 2));
    INFO(choice.reason);
    CHECK(choice.line->fill == Fill::threads);
    CHECK(choice.line->block_m == 64);
  }
  const MatmulChoice choice = choice_of(call_of(4095, 4097, 4099));
  INFO(choice.reason);
  CHECK(choice.line->fill == Fill::threads);
  CHECK(choice.line->block_m == 128);
}

TEST_CASE("few tiles and a long K are split") {
  const MatmulChoice choice = choice_of(call_of(256, 256, 16384));
  INFO(choice.reason);
  CHECK(choice.splits > 1);
}

TEST_CASE("sums are added in any order only where that is allowed and there are three or more") {
  const MatmulCall call = call_of(128, 128, 65536);
  const auto any_order = [&](const MatmulOptions& options) {
    const MatmulChoice choice = choice_of(call, options);
    INFO(choice.reason);
    CHECK((choice.reason.find(" added in any order") != std::string::npos) == choice.any_order);
    return choice.any_order;
  };
  CHECK_FALSE(any_order({}));
  CHECK_FALSE(any_order({.splits = 8}));
  CHECK(any_order({.deterministic = false}));
  CHECK(any_order({.deterministic = false, .splits = 3}));
  CHECK(any_order({.deterministic = false, .splits = stream_k}));
  CHECK_FALSE(any_order({.deterministic = false, .splits = 2}));
  CHECK_FALSE(any_order({.deterministic = false, .splits = 1}));
  CHECK_FALSE(any_order({.deterministic = false, .kernel = "64x16x2_t_k4"}));
}

TEST_CASE("any order: less time for many parts, never for two") {
  const MatmulCall call = call_of(128, 128, 65536);
  const MatmulLine& line = *choice_of(call, {.kernel = "128x128_c1x1"}).line;
  MatmulTask task = fit(line, call, {}, false).task;
  const auto microseconds = [&](int splits, bool any_order) {
    task.splits = splits;
    task.any_order = any_order;
    return estimate(line, task, h200, memory_bytes(line, task, h200)).microseconds;
  };
  CHECK(microseconds(16, true) < microseconds(16, false));
  CHECK(microseconds(2, true) == microseconds(2, false));
}

TEST_CASE("the choice keeps to what the options say") {
  const MatmulCall call = call_of(4096, 4096, 4096);
  CHECK(choice_of(call, {.kernel = "128x128_c1x1"}).line->name == std::string("128x128_c1x1"));
  CHECK(choice_of(call, {.splits = 3}).splits == 3);
  CHECK(choice_of(call, {.raster = 5}).raster == 5);
  CHECK(choice_of(call, {.max_ctas = 1}).line->cluster_m == 1);
}

TEST_CASE("kernels that share K within clusters are taken by name, and say what they cannot") {
  const MatmulCall call = call_of(16, 4096, 4096);
  const MatmulChoice choice = choice_of(call, {.kernel = "64x16x2_t_k4"});
  INFO(choice.reason);
  CHECK(choice.line->cluster_k == 4);
  CHECK(choice.exchanged);
  CHECK(choice.splits == 1);
  CHECK(choice_of(call, {.kernel = "64x16x2_t_k4", .splits = 1}).splits == 1);
  using Catch::Matchers::ContainsSubstring;
  CHECK_THROWS_WITH(choice_of(call, {.kernel = "64x16x2_t_k4", .splits = 3}),
                    ContainsSubstring("kernel 64x16x2_t_k4: splits are 3, and it shares K among "
                                      "the 4 CTAs of its cluster: it takes none"));
  CHECK_THROWS_WITH(choice_of(call, {.kernel = "64x16x2_t_k4", .splits = stream_k}),
                    ContainsSubstring("splits are stream"));
  CHECK_THROWS_WITH(choice_of(call, {.max_ctas = 3, .kernel = "64x16x2_t_k4"}),
                    ContainsSubstring("less than its cluster of 4"));
  for (const std::int64_t m : {1, 16, 64, 300, 1024}) {
    const MatmulOptions options[] = {{}, {.epilogue = {epilogue::relu()}}};
    for (const MatmulOptions& option : options) {
      CHECK(choice_of(call_of(m, m == 300 ? 300 : 4096, 2048), option).line->cluster_k == 1);
    }
  }
}

TEST_CASE("a cluster that shares K: less time for few tiles, and none saved where there are many") {
  const auto microseconds = [](const char* kernel, const MatmulCall& call) {
    const MatmulLine& line = *choice_of(call, {.kernel = kernel, .splits = 1}).line;
    MatmulTask task = fit(line, call, {}, true).task;
    task.raster = 8;
    return estimate(line, task, h200, memory_bytes(line, task, h200)).microseconds;
  };
  const MatmulCall few = call_of(64, 2048, 16384);
  CHECK(microseconds("64x64_t_k2", few) < microseconds("64x64_t", few));
  CHECK(microseconds("128x64_t_k4", few) < microseconds("128x64_t", few));
  const MatmulCall many = call_of(4096, 4096, 512);
  CHECK(microseconds("64x64_t_k2", many) > microseconds("64x64_t", many));
}

TEST_CASE("the reason is one line that names kernel, split and raster") {
  const MatmulChoice choice = choice_of(call_of(1000, 1000, 1000));
  CHECK(choice.reason.find(choice.line->name) == 0);
  CHECK(choice.reason.find("splits " + std::to_string(choice.splits)) != std::string::npos);
  CHECK(choice.reason.find("raster " + std::to_string(choice.raster)) != std::string::npos);
  CHECK(choice.reason.find('\n') == std::string::npos);
}

TEST_CASE("extents of one take whatever stride there is") {
  MatmulCall call = call_of(1, 512, 256);
  call.a.row_stride = 3;
  call.d.row_stride = 7;
  CHECK_NOTHROW(choice_of(call));
  call = call_of(1, 512, 1);
  call.a.row_stride = call.a.column_stride = 1;
  call.b = Matrix(call.b.data, ElementType::bf16, 1, 512, 1, 1);
  CHECK_NOTHROW(choice_of(call));
}

TEST_CASE("columns as the contiguous dimension of D exchange the operands") {
  MatmulCall call = call_of(2048, 2048, 512);
  std::swap(call.d.row_stride, call.d.column_stride);
  const MatmulChoice choice = choice_of(call);
  CHECK(choice.exchanged == (choice.line->leave != Leave::copies_transposed));
}

TEST_CASE("more memory, more multiplies, fewer multiprocessors: more time") {
  const MatmulCall call = call_of(2048, 2048, 2048);
  const MatmulLine& line = *choice_of(call).line;
  const auto microseconds = [&](std::int64_t k, int multiprocessors) {
    MatmulTask task = fit(line, call_of(2048, 2048, k), {}, false).task;
    task.raster = 8;
    return estimate(line, task, multiprocessors, memory_bytes(line, task, multiprocessors))
        .microseconds;
  };
  CHECK(microseconds(4096, h200) > microseconds(2048, h200));
  CHECK(microseconds(2048, 64) > microseconds(2048, h200));
  // At most the chip's peak: 132 x 4096 FLOP per cycle at 2 GHz.
  CHECK(microseconds(4096, h200) > 2.0 * 2048 * 2048 * 4096 / (132 * 4096 * 2e3));
}

TEST_CASE("measured winners are for their shape and what is near") {
  constexpr ElementType bf16 = ElementType::bf16;
  const MeasuredChoice rows[] = {{bf16, true, false, 4096, 4096, 4096, "large", 1, 8},
                                 {bf16, true, false, 4096, 4096, 5000, "deep", 1, 8},
                                 {bf16, true, true, 2048, 2048, 2048, "other layout", 1, 8},
                                 {ElementType::fp16, true, false, 16, 512, 512, "fp16", 1, 8}};
  const auto found = [&](const MatmulCall& call) {
    const auto choice = find_measured_choice(call, rows);
    return choice.has_value() ? choice->choice->kernel + std::string(choice->exact ? "!" : "")
                              : std::string("none");
  };
  CHECK(found(call_of(4096, 4096, 4096)) == "large!");
  CHECK(found(call_of(4096, 4096, 5000)) == "deep!");
  CHECK(found(call_of(4000, 4200, 4096)) == "large");
  CHECK(found(call_of(4096, 4096, 4800)) == "deep");
  CHECK(found(call_of(4096, 4096, 8192)) == "none");
  CHECK(found(call_of(2048, 2048, 2048)) == "none");
  CHECK(found(call_of(16, 512, 512)) == "none");
  MatmulCall call = call_of(4096, 4096, 4096);
  call.steps = 1;
  CHECK(found(call) == "none");
  call = call_of(4096, 4096, 4096);
  call.d.type = ElementType::fp32;
  CHECK(found(call) == "none");
  call = call_of(4096, 4096, 4096);
  std::swap(call.d.row_stride, call.d.column_stride);
  CHECK(found(call) == "none");
}

TEST_CASE("the measured winners that come with the library can take their shapes") {
  for (const MeasuredChoice& row : measured_choices()) {
    MatmulCall call = call_of(row.m, row.n, row.k);
    call.a.type = call.b.type = call.d.type = row.type;
    INFO(row.kernel << " for " << row.m << " x " << row.n << " x " << row.k);
    const MatmulChoice choice = choice_of(call);
    CHECK(choice.line->name == std::string(row.kernel));
    CHECK(choice.splits == row.splits);
    CHECK(choice.raster == row.raster);
  }
}

}  // namespace
}  // namespace warpline::tests
