// KeptSlot: a stage is read again after the next one was acquired.
#include "warpline/kept_slot.h"

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 2};
};

/// out[i][thread] = the sum of blocks i - 1 and i of 64 numbers at `thread` (of the first block
/// alone), and of the last one alone at the end.
template <int Stages, bool ByAnother>
struct NeighboursKernel {
  static constexpr int block = 64;
  using Roles = RoleList<Consumer, Producer>;
  struct Stage {
    SharedArray<int32_t, block> numbers;
  };
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Stages}, FilledByCopies<Producer>,
                        ReadByThreads<Consumer>>;
  struct Arguments {
    const int32_t* in;
    int32_t* out;
    int blocks;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "neighbours"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          int i = 0;
          for (auto slot : end.fill(arguments.blocks)) {
            slot.load(slot->numbers, arguments.in + i++ * block);
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          const int thread = static_cast<int>(group.thread_rank());
          int32_t* out = arguments.out + thread;
          auto end = ring.consumer(group);
          KeptSlot first(end);
          KeptSlot kept(end);
          for (auto slot : end.read(arguments.blocks)) {
            int32_t sum = slot->numbers.load(thread);
            if (kept) {
              sum += kept->numbers.load(thread);
            }
            isa::store_global(out, sum);
            out += block;
            kept.release();
            if (ByAnother) {
              first.take(slot);
              kept.take(first);
            } else {
              kept.take(slot);
            }
          }
          if (kept) {
            isa::store_global(out, kept->numbers.load(thread));
          }
        });
  }
};

template <int Stages, bool ByAnother>
void check_neighbours() {
  using Kernel = NeighboursKernel<Stages, ByAnother>;
  constexpr int block = Kernel::block;
  for (const int blocks : {0, 1, 2, Stages, 9}) {
    const auto count = static_cast<std::size_t>(blocks * block);
    std::vector<int32_t> in(count);
    for (std::size_t i = 0; i < count; ++i) {
      in[i] = static_cast<int32_t>(i * i % 1009);
    }
    const DeviceArray<int32_t> numbers(in.empty() ? std::vector<int32_t>(1) : in);
    on_every_schedule(25, [&](const Stream& stream) {
      const DeviceArray<int32_t> out(std::vector<int32_t>(count + block, -1));
      launch<Kernel>(stream, {1, 1, 1}, {numbers.data(), out.data(), blocks});
      const std::vector<int32_t> got = out.values();
      bool right = true;
      for (std::size_t i = 0; i < got.size(); ++i) {
        const int32_t wanted = (i < count ? in[i] : 0) + (i >= block ? in[i - block] : 0);
        right = right && got[i] == (blocks == 0 ? -1 : wanted);
      }
      REQUIRE(right);
    });
  }
}

TEST_CASE("a stage is kept while the next is read") {
  check_neighbours<2, false>();
  check_neighbours<3, false>();
  check_neighbours<3, true>();
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
