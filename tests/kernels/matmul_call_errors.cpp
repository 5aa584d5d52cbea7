// What warpline::matmul refuses, and in which words: before anything is launched, on either target.
#include <functional>

#include "tests/kernels/matmul_call.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

const Place place = simulator::Options{};

struct Operands {
  MutableMatrix d;
  Matrix a;
  Matrix b;
  MatmulOptions options = {};
};

/// 40 x 24 x 32, fp16, row-major, each in its own memory; changed by `change`.
std::string refusal_of(const std::function<void(Operands&)>& change) {
  static const DeviceArray<__half> a(std::vector<__half>(4096));
  static const DeviceArray<__half> b(std::vector<__half>(4096));
  static const DeviceArray<__half> d(std::vector<__half>(4096));
  Operands call{.d = row_major(d.data(), 40, 24),
                .a = row_major(a.data(), 40, 32),
                .b = row_major(b.data(), 32, 24)};
  change(call);
  try {
    matmul_plan(place, call.d, call.a, call.b, call.options);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

using Catch::Matchers::ContainsSubstring;

void* moved(const void* address, int bytes) {
  return const_cast<unsigned char*>(static_cast<const unsigned char*>(address)) + bytes;
}

TEST_CASE("matmul refuses nothing that is right") {
  CHECK(refusal_of([](Operands&) {}) == "nothing was refused");
}

TEST_CASE("matmul refuses extents and strides out of range") {
  CHECK_THAT(refusal_of([](Operands& o) { o.a.rows = -1; }),
             ContainsSubstring("A: it has -1 rows; 0 to 2147418112 are possible"));
  CHECK_THAT(refusal_of([](Operands& o) { o.b.columns = std::int64_t{1} << 31; }),
             ContainsSubstring("B: it has 2147483648 columns; 0 to 2147418112"));
  CHECK_THAT(refusal_of([](Operands& o) { o.d.row_stride = -24; }),
             ContainsSubstring("D: its row stride is -24; strides are 0 or more"));
  CHECK_THAT(refusal_of([](Operands& o) { o.b.batch_stride = -8; }),
             ContainsSubstring("B: its batch stride is -8"));
  CHECK_THAT(refusal_of([](Operands& o) { o.a.column_stride = 2; }),
             ContainsSubstring("A: its row stride is 32 and its column stride 2; one of them must "
                               "be 1"));
  CHECK_THAT(refusal_of([](Operands& o) { o.a.row_stride = std::int64_t{1} << 60; }),
             ContainsSubstring("A: its extents and strides reach beyond the address space"));
}

TEST_CASE("matmul refuses operands that do not agree") {
  CHECK_THAT(refusal_of([](Operands& o) { o.b.rows = 31; }),
             ContainsSubstring("B: its rows are 31, but A's columns are 32; both are K"));
  CHECK_THAT(refusal_of([](Operands& o) { o.d.rows = 39; }),
             ContainsSubstring("D: its rows are 39, but A's are 40; both are M"));
  CHECK_THAT(refusal_of([](Operands& o) { o.d.columns = 23; }),
             ContainsSubstring("D: its columns are 23, but B's are 24; both are N"));
  CHECK_THAT(refusal_of([](Operands& o) { o.b.type = ElementType::bf16; }),
             ContainsSubstring("B: its elements are bf16, those of A are fp16; they must be of one "
                               "type"));
  CHECK_THAT(refusal_of([](Operands& o) { o.a.type = ElementType::fp32; }),
             ContainsSubstring("A: its elements are fp32; A and B are fp16 or bf16"));
  CHECK_THAT(refusal_of([](Operands& o) { o.d.type = static_cast<ElementType>(9); }),
             ContainsSubstring("D: it has no type of elements that there is"));
}

TEST_CASE("matmul refuses addresses that cannot be") {
  CHECK_THAT(refusal_of([](Operands& o) { o.a.data = nullptr; }),
             ContainsSubstring("A: its address is null"));
  CHECK_THAT(refusal_of([](Operands& o) { o.d.data = nullptr; }),
             ContainsSubstring("D: its address is null"));
  CHECK_THAT(refusal_of([](Operands& o) { o.b.data = moved(o.b.data, 1); }),
             ContainsSubstring("B: its address is 1 bytes past a multiple of 2, its elements' "
                               "size"));
  CHECK_THAT(refusal_of([](Operands& o) {
               static const void* const addresses[] = {o.a.data, nullptr, o.a.data};
               o.a = o.a.at(addresses);
               o.d.batch_stride = 1000;
               o.options.batch = 3;
             }),
             ContainsSubstring("A: address 1 of the batch is null"));
}

TEST_CASE("matmul refuses a batch that cannot be") {
  CHECK_THAT(refusal_of([](Operands& o) { o.options.batch = -1; }),
             ContainsSubstring("batch is -1; 0 or more is possible"));
  CHECK_THAT(refusal_of([](Operands& o) { o.options.batch = 2; }),
             ContainsSubstring("D: its strides lead from different indices to one element"));
  CHECK_THAT(refusal_of([](Operands& o) { o.d.row_stride = 23; }),
             ContainsSubstring("D: its strides lead from different indices to one element"));
  CHECK_THAT(refusal_of([](Operands& o) {
               static void* const addresses[] = {o.d.data, o.d.data};
               o.d = o.d.at(addresses);
               o.options.batch = 2;
             }),
             ContainsSubstring("D of problem 0 and D of problem 1 overlap; both are written"));
}

TEST_CASE("matmul refuses outputs that share memory with inputs") {
  CHECK_THAT(refusal_of([](Operands& o) { o.d.data = const_cast<void*>(o.a.data); }),
             ContainsSubstring("A and D overlap; an output must not share memory with an input"));
  CHECK_THAT(refusal_of([](Operands& o) { o.d.data = moved(o.b.data, 32 * 24 * 2 - 2); }),
             ContainsSubstring("B and D overlap"));
  CHECK(refusal_of([](Operands& o) { o.d.data = moved(o.b.data, 32 * 24 * 2); }) ==
        "nothing was refused");
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.beta = 1;
               o.options.c = o.d;
               o.options.c.data = moved(o.d.data, 2);
             }),
             ContainsSubstring("C and D overlap; only if all strides and types agree may they be "
                               "the same matrix"));
  CHECK_THAT(refusal_of([](Operands& o) { o.options.epilogue = {epilogue::store(o.d)}; }),
             ContainsSubstring("epilogue step 0 (store)") && ContainsSubstring("both are written"));
}

TEST_CASE("matmul refuses a C that does not fit") {
  CHECK_THAT(refusal_of([](Operands& o) { o.options.beta = 0.5f; }),
             ContainsSubstring("C: it is 0 x 0, but D is 40 x 24; they must agree (beta is 0.5"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.beta = 0.5f;
               o.options.c = o.d;
               o.options.c.data = nullptr;
             }),
             ContainsSubstring("C: its address is null"));
}

TEST_CASE("matmul refuses steps that cannot be") {
  static const DeviceArray<float> v(std::vector<float>(64));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.epilogue = {epilogue::relu(), epilogue::row_bias<float>(nullptr)};
             }),
             ContainsSubstring("epilogue step 1 (row_bias): its address is null"));
  CHECK_THAT(refusal_of([](Operands& o) { o.options.epilogue = {epilogue::clamp(2, 1)}; }),
             ContainsSubstring("epilogue step 0 (clamp): it clamps to 2.0"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.epilogue = {epilogue::amax(v.data())};
               o.options.epilogue[0].type = ElementType::fp16;
             }),
             ContainsSubstring("epilogue step 0 (amax): its elements must be fp32"));
  CHECK_THAT(refusal_of([](Operands& o) { o.options.epilogue.assign(9, epilogue::relu()); }),
             ContainsSubstring("epilogue: it has more than 8 steps"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.epilogue = {epilogue::column_bias(v.data())};
               o.options.epilogue[0].batch_stride = -1;
             }),
             ContainsSubstring("epilogue step 0 (column_bias): its strides are 0, 1 and -1"));
}

TEST_CASE("matmul refuses kernels that cannot, and says why") {
  CHECK_THAT(refusal_of([](Operands& o) { o.options.kernel = "256x999"; }),
             ContainsSubstring("kernel: there is no 256x999; there are ") &&
                 ContainsSubstring("128x128_c1x1"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.kernel = "128x128_c1x1";
               o.a.data = moved(o.a.data, 2);
             }),
             ContainsSubstring("kernel 128x128_c1x1: A: its address is 2 bytes past a multiple of "
                               "16; the copy engine needs 16-byte alignment"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.kernel = "128x128_c1x1";
               o.a.row_stride = 33;
             }),
             ContainsSubstring("kernel 128x128_c1x1: A: its leading stride is 33 elements; the "
                               "copy engine needs a multiple of 8"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.kernel = "128x128_c1x1";
               o.d.columns = o.b.columns = 20;
             }),
             ContainsSubstring("kernel 128x128_c1x1: D: its N is 20; the copy engine stores rows "
                               "of a multiple of 8 elements"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.kernel = "128x128_c1x1";
               o.d.type = ElementType::fp32;
             }),
             ContainsSubstring("kernel 128x128_c1x1: D: it stores fp16, not fp32"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.kernel = "128x128_c1x1";
               o.options.epilogue = {epilogue::relu()};
             }),
             ContainsSubstring("kernel 128x128_c1x1: it has no epilogue, and the call has beta or "
                               "steps"));
  CHECK_THAT(refusal_of([](Operands& o) {
               o.options.kernel = "128x256_c2x1";
               o.b = column_major(static_cast<const __half*>(o.b.data), 32, 24);
               o.options.max_ctas = 1;
             }),
             ContainsSubstring("kernel 128x256_c2x1: max_ctas is 1, less than its cluster of 2"));
}

TEST_CASE("matmul refuses options out of range") {
  CHECK_THAT(refusal_of([](Operands& o) { o.options.splits = -1; }),
             ContainsSubstring("splits is -1; 0 or more is possible"));
  CHECK_THAT(refusal_of([](Operands& o) { o.options.raster = -2; }),
             ContainsSubstring("raster is -2"));
  CHECK_THAT(refusal_of([](Operands& o) { o.options.max_ctas = -1; }),
             ContainsSubstring("max_ctas is -1"));
}

TEST_CASE("matmul says how large a workspace must be") {
  static const DeviceArray<unsigned char> memory(std::vector<unsigned char>(512));
  const auto with = [](std::size_t bytes, int offset) {
    return [=](Operands& o) {
      o.options.kernel = "128x128_c1x1";
      o.a = row_major(static_cast<const __half*>(o.a.data), 8, 256);
      o.b = row_major(static_cast<const __half*>(o.b.data), 256, 8);
      o.d = row_major(static_cast<__half*>(o.d.data), 8, 8);
      o.options.splits = 2;
      o.options.workspace = memory.data() + offset;
      o.options.workspace_bytes = bytes;
    };
  };
  // One tile of 128 x 128 sums, and its counters.
  CHECK_THAT(refusal_of(with(512, 0)),
             ContainsSubstring("workspace: it has 512 bytes, the call needs 81920"));
  CHECK_THAT(refusal_of(with(81920, 8)),
             ContainsSubstring("workspace: its address is 8 bytes past a multiple of 16"));
}

TEST_CASE("a plan runs only where it was made for") {
  const CallCase call({.m = 8, .n = 8, .k = 8}, 1);
  const PreparedMatmul plan = matmul_plan(place, call.d(), call.a(), call.b());
  const auto run = [&] { plan.run(Place(nullptr)); };
  CHECK_THROWS_WITH(run(), "the plan was made for the simulator, not for the GPU");
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
