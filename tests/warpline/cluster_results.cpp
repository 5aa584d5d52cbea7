// Results that one role of a cluster's CTAs sends to another: all of them, in order, at all CTAs,
// over many more turns than there are places, with a ring that holds the senders back.
#include "warpline/cluster_results.h"

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"
#include "warpline/reduce.h"
#include "warpline/thread_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct alignas(8) Result {
  int32_t value;
  int32_t turn;
};

template <int Ctas>
struct ResultsKernel {
  struct Sender {
    static constexpr RoleConfig config{.name = "sender", .warps = 2};
  };
  struct Receiver {
    static constexpr RoleConfig config{.name = "receiver", .warps = 2};
  };
  using Roles = RoleList<Sender, Receiver>;
  struct Stage {
    SharedArray<int32_t, 64> elements;
  };
  static constexpr int stages = 2;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = stages, .cluster = {.x = Ctas}},
                        FilledByThreads<Sender>, ReadByThreads<Receiver>>;
  using Results = ClusterResults<Result, Ctas, 2 * stages + 1>;
  static constexpr int turns = 23;
  static constexpr int threads = 64;
  struct Arguments {
    /// [CTA][turn][thread]
    Result* out;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
    typename Results::Storage results;
  };
  static constexpr LaunchConfig launch{.name = "cluster_results", .cluster = {.x = Ctas}};

  static WARPLINE_HOST_DEVICE constexpr int32_t value(int cta, int turn) {
    return (cta * 37 + turn * 101) % 229;
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    if (isa::thread_index() == 0) {
      Results::prepare(shared.results);
    }
    Ring ring(shared.ring);
    const auto cta = static_cast<int>(isa::block_index().x);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Sender>& group) {
          auto end = ring.producer(group);
          typename Results::template Sender<ThreadGroup<Roles, Sender>> results(shared.results,
                                                                                group);
          for (int turn = 0; turn < turns; ++turn) {
            {
              auto slot = end.acquire();
              slot->elements.store(static_cast<int>(group.thread_rank()), value(cta, turn));
            }
            results.send({value(cta, turn), turn});
          }
        },
        [&](const ThreadGroup<Roles, Receiver>& group) {
          auto end = ring.consumer(group);
          typename Results::template Receiver<ThreadGroup<Roles, Receiver>> results(shared.results);
          const auto thread = static_cast<int>(group.thread_rank());
          for (int turn = 0; turn < turns; ++turn) {
            const Result theirs = results.receive();
            auto slot = end.acquire();
            const int32_t mine = slot->elements.load(thread);
            const int32_t sum =
                reduce_lanes<Ctas>(theirs.value, [](int32_t a, int32_t b) { return a + b; });
            isa::store_global(arguments.out + (cta * turns + turn) * threads + thread,
                              Result{sum * 1000 + mine, theirs.turn});
          }
        });
  }
};

template <int Ctas>
void check_results() {
  using Kernel = ResultsKernel<Ctas>;
  constexpr int clusters = 2;
  static constexpr auto count =
      static_cast<std::size_t>(clusters * Ctas * Kernel::turns * Kernel::threads);
  on_every_schedule(Ctas > 4 ? 1 : 4, [](const Stream& stream) {
    const DeviceArray<Result> out(std::vector<Result>(count, {-1, -1}));
    launch<Kernel>(stream, {clusters * Ctas, 1, 1}, {out.data()});
    const std::vector<Result> got = out.values();
    bool right = true;
    for (int cta = 0; cta < clusters * Ctas; ++cta) {
      for (int turn = 0; turn < Kernel::turns; ++turn) {
        int32_t sum = 0;
        for (int peer = cta / Ctas * Ctas; peer < cta / Ctas * Ctas + Ctas; ++peer) {
          sum += Kernel::value(peer, turn);
        }
        for (int thread = 0; thread < Kernel::threads; ++thread) {
          const auto& one = got[static_cast<std::size_t>(
              (cta * Kernel::turns + turn) * Kernel::threads + thread)];
          right = right && one.value == sum * 1000 + Kernel::value(cta, turn) && one.turn == turn;
        }
      }
    }
    REQUIRE(right);
  });
}

TEST_CASE("results of one role reach the other of all CTAs, in order") {
  check_results<1>();
  check_results<2>();
  check_results<8>();
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
