// Registers that change hands between roles, as the simulator sees it: what some give up is there
// before others take it.
#include "tests/support/device_array.h"
#include "tests/support/faults.h"
#include "warpline/isa/memory.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 8, .registers = 240};
};
struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 4, .registers = 24};
};

/// `Declared` is what the launch says, `Assumed` what dispatch was given.
template <int Declared, int Assumed>
struct HandOverKernel {
  using Roles = RoleList<Consumer, Producer>;
  struct Arguments {
    int32_t* out;
  };
  struct SharedMemory {
    int nothing;
  };
  static constexpr LaunchConfig launch{.name = "hand_over", .registers = Declared};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory&) const {
    dispatch<Roles, Assumed>(
        [&](const ThreadGroup<Roles, Consumer>&) {
          isa::store_global(arguments.out + isa::thread_index(), 1);
        },
        [&](const ThreadGroup<Roles, Producer>&) {
          isa::store_global(arguments.out + isa::thread_index(), 2);
        });
  }
};

TEST_CASE("one role gives registers up, the other takes them") {
  DeviceArray<int32_t> out(std::vector<int32_t>(384));
  on_every_schedule(20, [&](const Stream& stream) {
    out.assign(std::vector<int32_t>(384, -1));
    launch<HandOverKernel<168, 168>>(stream, {1, 1, 1}, {out.data()});
    for (int t = 0; t < 384; ++t) {
      REQUIRE(out.values()[static_cast<std::size_t>(t)] == (t < 256 ? 1 : 2));
    }
  });
}

TEST_CASE("a launch with fewer registers than dispatch was told waits for ever") {
  DeviceArray<int32_t> out(std::vector<int32_t>(384));
  faults(FaultKind::register_pool,
         {"(CTA 0) waits for registers: it wants 240 per thread, the CTA's pool has "},
         [&](const simulator::Options& options) {
           launch<HandOverKernel<128, 168>>(Stream{.options = options}, {1, 1, 1}, {out.data()});
         });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
