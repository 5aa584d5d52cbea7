// What can go wrong with stores into a peer's shared memory (st.async).
#include "tests/support/faults.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/cluster.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/remote_store.h"
#include "warpline/isa/wait.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Shared {
  alignas(16) uint32_t place[4];
  isa::Mbarrier full;
};

void cluster_sync() {
  isa::cluster_arrive();
  isa::cluster_wait();
}

/// CTA 0 stores into CTA 1; `sends` and `receives` are what their first threads do.
template <class Sends, class Receives>
auto run(Sends sends, Receives receives) {
  return [=](const simulator::Options& options) {
    simulate_with<Shared>(one_cluster<Shared>(2, 32), options, [=](Shared& shared) {
      if (isa::thread_index() == 0) {
        isa::mbarrier_init(shared.full, 1);
        isa::fence_mbarrier_init();
      }
      cluster_sync();
      if (isa::thread_index() == 0) {
        if (isa::cluster_cta_rank() == 0) {
          sends(shared);
        } else {
          receives(shared);
        }
      }
      cluster_sync();
    });
  };
}

void wait_full(Shared& shared, unsigned bytes) {
  isa::mbarrier_arrive_expect_tx(shared.full, bytes);
  isa::wait(shared.full, 0, {"receiver", "full", 0});
}

/// The barrier of the sending CTA, which nobody uses, is no leak: it was never armed.
const auto send_one = [](Shared& shared) { isa::store_async(shared.place[0], 7u, shared.full, 1); };

TEST_CASE("a remote store: the value comes with the barrier") {
  clean(run(send_one, [](Shared& shared) {
    wait_full(shared, 4);
    REQUIRE(isa::load_shared(shared.place[0]) == 7u);
  }));
}

TEST_CASE("a remote store: what its thread knew comes along") {
  static uint32_t global[4];
  clean(run(
      [](Shared& shared) {
        isa::store_global(&global[0], 5u);
        isa::store_async(shared.place[0], 7u, shared.full, 1);
      },
      [](Shared& shared) {
        wait_full(shared, 4);
        isa::store_global(&global[0], isa::load_global(&global[0]) + 1);
      }));
}

TEST_CASE("a remote store that is read too early") {
  faults({FaultKind::copy_race, FaultKind::uninitialised_read}, {"receive_early"},
         run(send_one, [](Shared& shared) {
           simulator::enter_role("receive_early");
           (void)isa::load_shared(shared.place[0]);
           wait_full(shared, 4);
         }));
}

/// Bytes that come before the barrier is armed keep its phase from completing; of others the
/// receiver cannot know, and it may have left.
TEST_CASE("a remote store of bytes that nobody announced") {
  faults({FaultKind::transaction_mismatch, FaultKind::deadlock}, {"announced"},
         run(send_one, [](Shared& shared) {
           isa::mbarrier_arrive_expect_tx(shared.full, 0);
           isa::wait(shared.full, 0, {"receiver", "full", 0});
           isa::wait(shared.full, 1, {"receiver", "full", 0});
         }));
}

TEST_CASE("a remote store over what the peer has not finished reading") {
  faults({FaultKind::copy_race, FaultKind::data_race}, {"a store to a peer CTA"},
         run(
             [](Shared& shared) {
               isa::store_async(shared.place[0], 7u, shared.full, 1);
               isa::store_async(shared.place[0], 8u, shared.full, 1);
             },
             [](Shared& shared) {
               wait_full(shared, 8);
               (void)isa::load_shared(shared.place[0]);
             }));
}

TEST_CASE("a remote store that is off its size") {
  struct alignas(8) Pair {
    uint32_t first;
    uint32_t second;
  };
  faults(
      FaultKind::copy_misuse, {"not aligned to 8 bytes"},
      run(
          [](Shared& shared) {
            isa::store_async(reinterpret_cast<Pair&>(shared.place[1]), Pair{1, 2}, shared.full, 1);
          },
          [](Shared& shared) { wait_full(shared, 8); }));
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
