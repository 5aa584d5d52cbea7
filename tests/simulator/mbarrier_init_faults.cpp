// From mbarrier_init to the first use by others: what must come between.
#include "tests/support/faults.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/wait.h"

namespace warpline::tests {
namespace {

struct Shared {
  alignas(16) isa::Mbarrier barrier;
  alignas(16) int data[64];
};

/// The first thread runs prepare(shared), then all meet, then the 40th runs use(shared).
template <class Prepare, class Use>
auto two_threads(Prepare prepare, Use use) {
  return [=](const simulator::Options& options) {
    simulate_with<Shared>(one_cta<Shared>(64), options, [&](Shared& shared) {
      if (isa::thread_index() == 0) {
        prepare(shared);
      }
      isa::syncthreads();
      if (isa::thread_index() == 40) {
        use(shared);
      }
    });
  };
}

struct Neighbours {
  alignas(16) isa::Mbarrier before;
  int data[2];
  int more[2];
  isa::Mbarrier after;
};

TEST_CASE("data may lie beside a barrier, but not be written over one") {
  const auto with = [](auto use) {
    return [=](const simulator::Options& options) {
      simulate_with<Neighbours>(one_cta<Neighbours>(1), options, [&](Neighbours& shared) {
        isa::mbarrier_init(shared.before, 1);
        isa::mbarrier_init(shared.after, 1);
        use(shared);
      });
    };
  };
  clean(with([](Neighbours& shared) {
    isa::store_shared(shared.data[0], 1);
    isa::store_shared(shared.data[1], 2);
    isa::store_shared(shared.more[0], 3);
    isa::store_shared(shared.more[1], 4);
    isa::mbarrier_invalidate(shared.before);
    isa::mbarrier_invalidate(shared.after);
    isa::store_shared(shared.before.word, uint64_t{0});
  }));
  const auto overwritten = {"overwrites"};
  faults(FaultKind::mbarrier_misuse, overwritten,
         with([](Neighbours& shared) { isa::store_shared(shared.before.word, uint64_t{0}); }));
  faults(FaultKind::mbarrier_misuse, overwritten, with([](Neighbours& shared) {
           isa::mbarrier_invalidate(shared.before);
           isa::store_shared(shared.after.word, uint64_t{0});
         }));
}

TEST_CASE("a barrier is another thread's only after its initialiser synchronised") {
  const auto init = [](Shared& shared) { isa::mbarrier_init(shared.barrier, 1); };
  const auto arrive = [](Shared& shared) {
    isa::mbarrier_arrive(shared.barrier);
    isa::wait(shared.barrier, 0, {});
  };
  clean(two_threads(init, arrive));
  faults(FaultKind::mbarrier_misuse, {"before its initialiser synchronised", "warp 1, lane 8"},
         [=](const simulator::Options& options) {
           simulate_with<Shared>(one_cta<Shared>(64), options, [&](Shared& shared) {
             if (isa::thread_index() == 0) {
               init(shared);
             }
             // Meetings of one warp each: the initialiser does not synchronise with the other.
             isa::named_barrier_sync(1 + isa::thread_index() / 32, 32);
             for (int i = 0; i < 1000 && isa::thread_index() == 40; ++i) {
               simulator::yield();
             }
             if (isa::thread_index() == 40) {
               arrive(shared);
             }
           });
         },
         {.policies = {Policy::fair, Policy::random}});
}

TEST_CASE("the copy engine counts only on barriers that were fenced") {
  alignas(16) static const int source[4] = {};
  const auto load = [](Shared& shared) {
    isa::mbarrier_arrive_expect_tx(shared.barrier, 16);
    isa::bulk_load(shared.data, source, 16, shared.barrier);
    isa::wait(shared.barrier, 0, {});
  };
  faults(FaultKind::mbarrier_fence_missing, {"a bulk load counts on", "fence_mbarrier_init()"},
         two_threads([](Shared& shared) { isa::mbarrier_init(shared.barrier, 1); }, load));
  clean(two_threads(
      [](Shared& shared) {
        isa::mbarrier_init(shared.barrier, 1);
        isa::fence_mbarrier_init();
      },
      load));
}

}  // namespace
}  // namespace warpline::tests
