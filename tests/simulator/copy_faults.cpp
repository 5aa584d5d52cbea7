// Loads by the copy engine against the rules of the PTX ISA ("cp.async.bulk" and ".tensor").
#include <array>
#include <utility>

#include "tests/support/faults.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/tensor_copy.h"
#include "warpline/isa/wait.h"
#include "warpline/make_tensor_map.h"

namespace warpline::tests {
namespace {

struct Shared {
  isa::Mbarrier barrier;
  alignas(1024) uint16_t data[8][64];
  alignas(1024) uint16_t other[8][64];
};

/// 16 x 128 elements; element (r, c) is 128 r + c.
class Source {
 public:
  Source() {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      elements_[i] = static_cast<uint16_t>(i);
    }
    isa::TensorDescription tensor;
    tensor.base = elements_.data();
    tensor.type = isa::TensorElement::u16;
    tensor.extent[0] = 128;
    tensor.extent[1] = 16;
    tensor.stride_bytes[1] = 256;
    tensor.box[0] = 64;
    tensor.box[1] = 8;
    map = make_tensor_map_words(tensor);
  }
  isa::TensorMapWords map;

 private:
  alignas(16) std::array<uint16_t, 16 * 128> elements_;
};

const Source source;
constexpr uint32_t bytes = 8 * 64 * 2;

/// body(shared) in thread 0 of a CTA, once the barrier is there.
template <class Body>
auto loading(Body body) {
  return [=](const simulator::Options& options) {
    simulate_with<Shared>(one_cta<Shared>(32), options, [=](Shared& shared) {
      if (isa::thread_index() == 0) {
        isa::mbarrier_init(shared.barrier, 1);
        isa::fence_mbarrier_init();
        body(shared);
      }
    });
  };
}

void load(Shared& shared, int column, int row = 0) {
  isa::mbarrier_arrive_expect_tx(shared.barrier, bytes);
  isa::tensor_load<2>(shared.data, source.map, {column, row}, shared.barrier);
}

TEST_CASE("a load, and coordinates beside the tensor") {
  for (const int column : {0, 8, 72, 120, 128, -8, -64, -1024, 4096}) {
    for (const int row : {0, 9, 15, 16, -3, -8, 100000}) {
      clean(loading([=](Shared& shared) {
              load(shared, column, row);
              isa::wait(shared.barrier, 0, {});
              for (const auto& [r, c] : {std::pair{0, 0}, {3, 7}, {7, 63}}) {
                const bool inside =
                    row + r >= 0 && row + r < 16 && column + c >= 0 && column + c < 128;
                REQUIRE(isa::load_shared(shared.data[r][c]) ==
                        (inside ? (row + r) * 128 + column + c : 0));
              }
            }),
            {.policies = {Policy::random}, .seeds = 2});
    }
  }
}

TEST_CASE("an innermost coordinate off 16 bytes") {
  for (const int column : {1, 4, 7, -1, 129}) {
    faults(FaultKind::copy_misuse,
           {"the innermost coordinate", "not a multiple of 16", "illegal instruction"},
           loading([=](Shared& shared) { load(shared, column); }), {.seeds = 2});
  }
}

TEST_CASE("a map that nobody made, or of another rank") {
  faults(FaultKind::copy_misuse, {"was not made by make_tensor_map"}, loading([](Shared& shared) {
           isa::tensor_load<2>(shared.data, isa::TensorMapWords{}, {0, 0}, shared.barrier);
         }));
  faults(FaultKind::copy_misuse, {"with 3 coordinates on a tensor map of 2 dimensions"},
         loading([](Shared& shared) {
           isa::tensor_load<3>(shared.data, source.map, {0, 0, 0}, shared.barrier);
         }));
}

TEST_CASE("a load to where it does not fit") {
  faults(FaultKind::out_of_bounds, {"a tensor load of 1024 bytes leaves the CTA's shared memory"},
         loading([](Shared& shared) {
           isa::tensor_load<2>(shared.other[4], source.map, {0, 0}, shared.barrier);
         }));
  faults(FaultKind::copy_misuse, {"shared address 1040 is not aligned to 128 bytes"},
         loading([](Shared& shared) {
           isa::tensor_load<2>(&shared.data[0][8], source.map, {0, 0}, shared.barrier);
         }));
  faults(FaultKind::out_of_bounds, {"leaves the CTA's shared memory"}, loading([](Shared& shared) {
           alignas(128) static uint16_t elsewhere[512];
           isa::tensor_load<2>(elsewhere, source.map, {0, 0}, shared.barrier);
         }));
}

TEST_CASE("shared memory read or written while a load is writing it") {
  faults(FaultKind::copy_race,
         {"an ordinary read reads shared memory", "after a copy of the same bytes",
          "wait for the barrier"},
         loading([](Shared& shared) {
           load(shared, 0);
           isa::load_shared(shared.data[1][1]);
         }));
  faults(FaultKind::copy_race,
         {"an ordinary write writes shared memory", "after a copy of the same bytes"},
         loading([](Shared& shared) {
           load(shared, 0);
           isa::store_shared(shared.data[1][1], uint16_t{1});
         }));
}

TEST_CASE("two loads to one place") {
  faults(FaultKind::copy_race,
         {"a tensor load writes shared memory", "after a copy of the same bytes"},
         loading([](Shared& shared) {
           isa::mbarrier_arrive_expect_tx(shared.barrier, 2 * bytes);
           isa::tensor_load<2>(shared.data, source.map, {0, 0}, shared.barrier);
           isa::tensor_load<2>(shared.data, source.map, {64, 0}, shared.barrier);
         }));
  clean(loading([](Shared& shared) {
    isa::mbarrier_arrive_expect_tx(shared.barrier, 2 * bytes);
    isa::tensor_load<2>(shared.data, source.map, {0, 0}, shared.barrier);
    isa::tensor_load<2>(shared.other, source.map, {64, 0}, shared.barrier);
    isa::wait(shared.barrier, 0, {});
  }));
}

TEST_CASE("what a load has not delivered is no number") {
  // Two loads of which one is waited for: the other's target must not look like data, or like zero.
  clean(loading([](Shared& shared) {
          load(shared, 0);
          CHECK(shared.data[2][3] == 0xffff);  // past the simulator's eyes
          isa::wait(shared.barrier, 0, {});
          CHECK(shared.data[2][3] == 2 * 128 + 3);
        }),
        {.policies = {Policy::fair, Policy::adversarial}, .seeds = 3});
}

TEST_CASE("a CTA that leaves with a load under way") {
  faults(FaultKind::exited_cta,
         {"CTA 0 left", "waited for a copy into its shared memory", "copy_faults.cpp"},
         loading([](Shared& shared) { load(shared, 0); }));
}

TEST_CASE("ordinary accesses outside shared memory, and of what nobody wrote") {
  faults(
      FaultKind::out_of_bounds, {"an ordinary read of 2 bytes outside"},
      loading([](Shared& shared) { isa::load_shared(*reinterpret_cast<uint16_t*>(&shared + 1)); }));
  faults(FaultKind::out_of_bounds, {"an ordinary write of 2 bytes outside"},
         loading([](Shared& shared) {
           isa::store_shared(*(reinterpret_cast<uint16_t*>(&shared) - 1), uint16_t{0});
         }));
  faults(FaultKind::uninitialised_read, {"at offset 2048, which nobody has written"},
         loading([](Shared& shared) { isa::load_shared(shared.other[0][1]); }));
}

}  // namespace
}  // namespace warpline::tests
