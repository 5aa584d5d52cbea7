// Tiled loads: every rank, element type and swizzle, boxes over every edge, tiles at any multiple
// of 128 bytes. The probe dumps shared memory as it is.
#include "tests/differential/probe.h"
#include "tests/differential/tensor_probe.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct LoadProbe {
  using Roles = RoleList<ProbeRole>;
  static constexpr int barriers = 2;
  struct Arguments {
    isa::TensorMapWords map;
    PlacedBox boxes[max_boxes];
    int count;
    int rank;
    uint32_t box_bytes;
    bool expect_first;
    uint32_t* out;
  };
  struct SharedMemory {
    alignas(1024) uint32_t words[shared_bytes / 4];
    isa::Mbarrier full[barriers];
  };
  static constexpr LaunchConfig launch{.name = "load probe"};

  static WARPLINE_DEVICE void expect(const Arguments& args, SharedMemory& shared) {
    for (uint32_t barrier = 0; barrier < barriers; ++barrier) {
      uint32_t bytes = 0;
      for (int i = 0; i < args.count; ++i) {
        bytes += args.boxes[i].round == barrier ? args.box_bytes : 0;
      }
      isa::mbarrier_arrive_expect_tx(shared.full[barrier], bytes);
    }
  }

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    init_barriers(shared.full, barriers, 1);
    fill_shared(shared.words, shared_bytes / 4, 0, true);
    if (isa::warp_index() == 1 && isa::elect_one()) {
      if (args.expect_first) {
        expect(args, shared);
      }
      for (int i = 0; i < args.count; ++i) {
        const PlacedBox& box = args.boxes[i];
        with_coordinates(args.rank, box, [&](const auto& at) {
          isa::tensor_load(&shared.words[box.shared / 4], args.map, at, shared.full[box.round]);
        });
      }
      if (!args.expect_first) {
        expect(args, shared);
      }
    }
    bounded_wait(shared.full[0], 0);
    bounded_wait(shared.full[1], 0);
    dump_shared(args.out, shared.words, shared_bytes / 4);
  }
};

TensorCase load_case(uint32_t seed, int rank, isa::TensorElement type, int span) {
  TensorCase test = random_tensor(seed, rank, type, span);
  Dice dice(seed + 1'000'000);
  place_boxes(dice, test, dice.between(1, max_boxes));
  for (PlacedBox& box : test.boxes) {
    box.round = static_cast<uint32_t>(dice.between(0, 1));
  }
  return test;
}

/// The largest boxes: 256 rows, and 256 elements.
TensorCase large_case(uint32_t seed, isa::TensorElement type, uint32_t columns, uint32_t rows,
                      int span) {
  TensorCase test;
  test.seed = seed;
  auto& tensor = test.tensor;
  tensor.type = type;
  tensor.swizzle_span = span;
  tensor.box[0] = columns;
  tensor.box[1] = rows;
  tensor.extent[0] = columns + columns / 2;
  tensor.extent[1] = rows + 9;
  const auto element = static_cast<uint32_t>(isa::element_bytes(type));
  tensor.stride_bytes[1] = rounded_up(static_cast<uint32_t>(tensor.extent[0]) * element, 16);
  test.tensor_bytes = tensor.stride_bytes[1] * tensor.extent[1];
  test.box_bytes = columns * rows * element;
  test.name = "large_" + tensor_name(test);
  const auto in_unit = static_cast<int32_t>(columns / 2 / (16 / element) * (16 / element));
  test.boxes = {{.at = {in_unit, 10, 0, 0, 0}, .shared = 0, .round = 0}};
  return test;
}

std::vector<TensorCase> load_cases() {
  auto cases = tensor_cases(1000, 2, load_case);
  using isa::TensorElement;
  cases.push_back(large_case(1, TensorElement::fp16, 64, 256, 128));
  cases.push_back(large_case(2, TensorElement::u8, 256, 100, 16));
  cases.push_back(large_case(3, TensorElement::bf16, 256, 60, 16));
  cases.push_back(large_case(4, TensorElement::fp32, 16, 256, 64));
  cases.push_back(large_case(5, TensorElement::fp32, 256, 30, 16));
  cases.push_back(large_case(6, TensorElement::u16, 16, 256, 32));
  return cases;
}

Bytes run_load(const TensorCase& test, const Bytes& global, const Stream& stream) {
  const TargetBytes tensor(global);
  const TargetBytes out(Bytes(shared_bytes, 0));
  LoadProbe::Arguments args{};
  auto description = test.tensor;
  description.base = tensor.data();
  isa::encode_tensor_map(args.map, description);
  std::copy(test.boxes.begin(), test.boxes.end(), args.boxes);
  args.count = static_cast<int>(test.boxes.size());
  args.rank = test.tensor.rank;
  args.box_bytes = test.box_bytes;
  args.expect_first = test.seed % 2 == 0;
  args.out = reinterpret_cast<uint32_t*>(out.data());
  run_probe<LoadProbe>(stream, {1, 1, 1}, args);
  return out.read();
}

TEST_CASE("differential: tiled loads") {
  Results results("tensor_load", on_gpu);
  for (const TensorCase& test : load_cases()) {
    INFO(test.name);
    const Bytes global = filled(static_cast<uint32_t>(test.tensor_bytes), test.seed);
    Bytes expected(shared_bytes, canary);
    for (const PlacedBox& box : test.boxes) {
      expect_load(test, box, global, expected);
    }
    for (const Stream& stream : all_streams(test.seed)) {
      const Bytes found = run_load(test, global, stream);
      CHECK(first_difference(found, expected) == "");
      CHECK(results.difference(test.name, found) == "");
    }
  }
  CHECK(results.forgotten() == "");
  if (!results.recorded()) {
    SKIP("no recorded results");
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
