// What make_tensor_map refuses before the driver is asked, each in words that name operand, value
// and rule.
#include <functional>

#include "tests/support/catch.h"
#include "tests/support/device_array.h"
#include "warpline/make_tensor_map.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A good description of 64 x 256 fp16 elements, changed by `change`; what is said about it.
std::string refusal_of(const std::function<void(isa::TensorDescription&)>& change) {
  const DeviceArray<__half> memory(std::vector<__half>(64 * 256));
  isa::TensorDescription tensor;
  tensor.name = "Q";
  tensor.base = memory.data();
  tensor.rank = 2;
  tensor.extent[0] = 256;
  tensor.extent[1] = 64;
  tensor.stride_bytes[1] = 512;
  tensor.box[0] = 64;
  tensor.box[1] = 64;
  tensor.swizzle_span = 128;
  change(tensor);
  try {
    make_tensor_map_words(tensor);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_CASE("a good tensor is not refused") {
  CHECK(refusal_of([](isa::TensorDescription&) {}) == "nothing was refused");
}

TEST_CASE("ranks") {
  for (const int rank : {0, 6, -1}) {
    CHECK_THAT(
        refusal_of([=](isa::TensorDescription& t) { t.rank = rank; }),
        ContainsSubstring("Q: a tensor map has 1 to 5 dimensions, not " + std::to_string(rank)));
  }
}

TEST_CASE("addresses") {
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.base = nullptr; }),
             ContainsSubstring("Q: its address is null"));
  CHECK_THAT(
      refusal_of([](isa::TensorDescription& t) { t.base = static_cast<const char*>(t.base) + 8; }),
      ContainsSubstring("Q: its address is 8 bytes past a multiple of 16"));
}

TEST_CASE("boxes") {
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.box[1] = 257; }),
             ContainsSubstring("Q: dimension 1 of its box has 257 elements; 1 to 256"));
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.box[1] = 0; }),
             ContainsSubstring("Q: dimension 1 of its box has 0 elements"));
  CHECK_THAT(
      refusal_of([](isa::TensorDescription& t) { t.box[0] = 4; }),
      ContainsSubstring("innermost dimension of its box is 8 bytes; it must be a multiple of 16"));
  CHECK_THAT(
      refusal_of([](isa::TensorDescription& t) { t.box[0] = 72; }),
      ContainsSubstring(
          "innermost dimension of its box is 144 bytes, more than the swizzle's span of 128"));
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.swizzle_span = 32; }),
             ContainsSubstring("128 bytes, more than the swizzle's span of 32"));
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.swizzle_span = 48; }),
             ContainsSubstring("a swizzle span of 48 bytes"));
}

TEST_CASE("extents") {
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.extent[0] = 0; }),
             ContainsSubstring("Q: dimension 0 has 0 elements; 1 to 2^32 - 1"));
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.extent[1] = 0; }),
             ContainsSubstring("Q: dimension 1 has 0 elements"));
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.extent[1] = std::uint64_t{1} << 32; }),
             ContainsSubstring("Q: dimension 1 has 4294967296 elements"));
}

TEST_CASE("strides") {
  CHECK_THAT(refusal_of([](isa::TensorDescription& t) { t.stride_bytes[1] = 520; }),
             ContainsSubstring("Q: the stride of dimension 1 is 520 bytes (260 elements)") &&
                 ContainsSubstring("a multiple of 16 bytes"));
  CHECK_THAT(
      refusal_of([](isa::TensorDescription& t) { t.stride_bytes[1] = 496; }),
      ContainsSubstring("Q: the stride of dimension 1 is 496 bytes, less than the 512 bytes"));
  CHECK_THAT(
      refusal_of([](isa::TensorDescription& t) { t.stride_bytes[1] = std::uint64_t{1} << 40; }),
      ContainsSubstring("takes less than 2^40"));
  CHECK_THAT(
      refusal_of([](isa::TensorDescription& t) {
        t.rank = 3;
        t.extent[2] = 2;
        t.box[1] = 8;
        t.stride_bytes[2] = 63 * 512;
      }),
      ContainsSubstring("Q: the stride of dimension 2 is 32256 bytes, less than the 32768 bytes"));
}

using Tile = SharedTile<__half, 64, 64>;

std::string matrix_refusal(const MatrixView<__half>& matrix, MapUse use = MapUse::load) {
  try {
    make_tensor_map<Tile>(matrix, "K", use);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_CASE("matrices") {
  const DeviceArray<__half> memory(std::vector<__half>(64 * 256));
  __half* const data = memory.data();
  CHECK(matrix_refusal({data, 64, 256, 256}) == "nothing was refused");
  CHECK(matrix_refusal({data, 1, 1, 8}) == "nothing was refused");
  CHECK_THAT(matrix_refusal({data, -1, 256, 256}),
             ContainsSubstring("K: rows, columns and stride cannot be negative"));
  CHECK_THAT(matrix_refusal({data, 64, 256, -256}), ContainsSubstring("(64, 256, -256)"));
  CHECK_THAT(matrix_refusal({data, 0, 256, 256}),
             ContainsSubstring("K: dimension 1 has 0 elements"));
  CHECK_THAT(matrix_refusal({data, 64, 0, 256}),
             ContainsSubstring("K: dimension 0 has 0 elements"));
  CHECK_THAT(matrix_refusal({data, 64, 65, 65}),
             ContainsSubstring("K: the stride of dimension 1 is 130 bytes"));
  CHECK_THAT(matrix_refusal({nullptr, 64, 256, 256}), ContainsSubstring("K: its address is null"));
}

TEST_CASE("rows that a store would overrun") {
  const DeviceArray<__half> memory(std::vector<__half>(64 * 256));
  CHECK(matrix_refusal({memory.data(), 64, 233, 256}) == "nothing was refused");
  for (const std::int64_t columns : {233, 235, 236, 1, 7}) {
    CHECK_THAT(
        matrix_refusal({memory.data(), 64, columns, 256}, MapUse::store),
        ContainsSubstring("K: its rows are " + std::to_string(2 * columns) + " bytes long") &&
            ContainsSubstring("would write past their end"));
  }
  CHECK(matrix_refusal({memory.data(), 64, 232, 256}, MapUse::store) == "nothing was refused");
}

#if WARPLINE_ON_GPU
TEST_CASE("host memory") {
  std::vector<__half> host(64 * 256 + 8);
  auto* aligned =
      reinterpret_cast<__half*>((reinterpret_cast<std::uintptr_t>(host.data()) + 15) / 16 * 16);
  CHECK_THAT(matrix_refusal({aligned, 64, 256, 256}),
             ContainsSubstring("K: its address is in host memory"));
  __half* pinned = nullptr;
  isa::check_cuda(cudaMallocHost(&pinned, 64 * 256 * sizeof(__half)), "a test's cudaMallocHost");
  CHECK_THAT(matrix_refusal({pinned, 64, 256, 256}),
             ContainsSubstring("K: its address is in host memory"));
  cudaFreeHost(pinned);
}
#endif

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
