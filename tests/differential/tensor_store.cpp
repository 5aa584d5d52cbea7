// Tiled stores into a buffer of canaries: clipping on every side, in units of 16 bytes in the
// innermost dimension; several bulk groups; shared memory rewritten as soon as it has been read.
#include <algorithm>

#include "tests/differential/probe.h"
#include "tests/differential/tensor_probe.h"
#include "tests/support/catch.h"
#include "warpline/isa/bulk_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct StoreProbe {
  using Roles = RoleList<ProbeRole>;
  struct Arguments {
    isa::TensorMapWords map;
    PlacedBox boxes[max_boxes];
    int count;
    int rank;
    uint32_t seed;
    bool group_per_box;
  };
  struct SharedMemory {
    alignas(1024) uint32_t words[shared_bytes / 4];
  };
  static constexpr LaunchConfig launch{.name = "store probe"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    for (uint32_t round = 0; round < 2; ++round) {
      fill_shared(shared.words, shared_bytes / 4, args.seed + round, false);
      if (isa::thread_index() == 0) {
        for (int i = 0; i < args.count; ++i) {
          const PlacedBox& box = args.boxes[i];
          if (box.round != round) {
            continue;
          }
          with_coordinates(args.rank, box, [&](const auto& at) {
            isa::tensor_store(args.map, at, &shared.words[box.shared / 4]);
          });
          if (args.group_per_box) {
            isa::bulk_commit_group();
            isa::bulk_wait_group_read<2>();
          }
        }
        isa::bulk_commit_group();
        isa::bulk_wait_group_read<0>();
      }
      isa::syncthreads();
    }
    if (isa::thread_index() == 0) {
      isa::bulk_wait_group<1>();
      isa::bulk_wait_group<0>();
    }
  }
};

struct StoreCase {
  TensorCase test;
  Bytes expected;
};

/// Draws boxes that write no byte twice: in which order stores write is open.
StoreCase store_case(const TensorCase& tensor) {
  Dice dice(tensor.seed + 2'000'000);
  StoreCase result{tensor, Bytes(tensor.tensor_bytes, canary)};
  TensorCase& test = result.test;
  place_boxes(dice, test, max_boxes);
  auto candidates = std::move(test.boxes);
  test.boxes.clear();
  std::vector<bool> written(test.tensor_bytes, false);
  for (PlacedBox& box : candidates) {
    // A store with a negative coordinate is an illegal instruction (measured); a load is not.
    for (int32_t& start : box.at) {
      start = std::max(start, 0);
    }
    box.round = static_cast<uint32_t>(dice.between(0, 1));
    const Bytes shared = filled(shared_bytes, test.seed + box.round);
    Bytes global = result.expected;
    std::vector<bool> together = written;
    if (expect_store(test, box, shared, global, together)) {
      result.expected = std::move(global);
      written = std::move(together);
      test.boxes.push_back(box);
    }
  }
  return result;
}

/// Rows of any number of bytes in a pitch of 512: the 16-byte clipping as it was first measured.
TensorCase clipping_case(uint32_t row_bytes, isa::TensorElement type, int span) {
  TensorCase test;
  test.seed = row_bytes;
  auto& tensor = test.tensor;
  const auto element = static_cast<uint32_t>(isa::element_bytes(type));
  tensor.type = type;
  tensor.swizzle_span = span;
  tensor.box[0] = (span == 16 ? 128 : static_cast<uint32_t>(span)) / element;
  tensor.box[1] = 8;
  tensor.extent[0] = row_bytes / element;
  tensor.extent[1] = 13;
  tensor.stride_bytes[1] = 512;
  test.tensor_bytes = 512 * 13;
  test.box_bytes = tensor.box[0] * tensor.box[1] * element;
  test.name = "clip_" + tensor_name(test);
  return test;
}

std::vector<StoreCase> store_cases() {
  std::vector<StoreCase> cases;
  for (const TensorCase& test : tensor_cases(5000, 2, random_tensor)) {
    cases.push_back(store_case(test));
  }
  for (const uint32_t row_bytes : {466u, 470u, 472u, 17u, 31u, 497u, 500u, 512u}) {
    for (const int span : {16, 128}) {
      cases.push_back(store_case(clipping_case(
          row_bytes, row_bytes % 2 == 0 ? isa::TensorElement::fp16 : isa::TensorElement::u8,
          span)));
    }
  }
  return cases;
}

Bytes run_store(const TensorCase& test, const Stream& stream) {
  const TargetBytes tensor(Bytes(test.tensor_bytes, canary));
  StoreProbe::Arguments args{};
  auto description = test.tensor;
  description.base = tensor.data();
  isa::encode_tensor_map(args.map, description);
  std::copy(test.boxes.begin(), test.boxes.end(), args.boxes);
  args.count = static_cast<int>(test.boxes.size());
  args.rank = test.tensor.rank;
  args.seed = test.seed;
  args.group_per_box = test.seed % 2 == 0;
  run_probe<StoreProbe>(stream, {1, 1, 1}, args);
  return tensor.read();
}

TEST_CASE("differential: tiled stores") {
  Results results("tensor_store", on_gpu);
  for (const StoreCase& store : store_cases()) {
    INFO(store.test.name);
    for (const Stream& stream : all_streams(store.test.seed)) {
      const Bytes found = run_store(store.test, stream);
      CHECK(first_difference(found, store.expected) == "");
      CHECK(results.difference(store.test.name, found) == "");
    }
  }
  CHECK(results.forgotten() == "");
  if (!results.recorded()) {
    SKIP("no recorded results");
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
