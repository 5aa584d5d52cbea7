// What CTAs of a cluster do to each other.
#include "tests/support/faults.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/cluster.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/tensor_copy.h"
#include "warpline/isa/wait.h"
#include "warpline/make_tensor_map.h"

namespace warpline::tests {
namespace {

struct Shared {
  isa::Mbarrier full;
  isa::Mbarrier empty;
  alignas(128) uint16_t data[8][8];
};

void delay() {
  for (int i = 0; i < 300; ++i) {
    simulator::yield();
  }
}

void cluster_sync() {
  isa::cluster_arrive();
  isa::cluster_wait();
}

/// Schedules on which delay() lets the others run.
const Schedules late_enough{.policies = {Policy::fair, Policy::random}, .seeds = 40};

enum class Mutation { none, no_drain, no_fence, no_cluster_sync };

/// One stage, one tile: each of two CTAs loads half the rows for both; both release the stage in
/// both. Warp 1 loads, warp 0 reads; CTA 1 is slow to release.
class RawMulticast {
 public:
  explicit RawMulticast(Mutation mutation = Mutation::none) : mutation_(mutation) {
    for (int i = 0; i < 64; ++i) {
      source_[i] = static_cast<uint16_t>(i);
    }
    isa::TensorDescription tensor;
    tensor.base = source_;
    tensor.type = isa::TensorElement::u16;
    tensor.extent[0] = 8;
    tensor.extent[1] = 8;
    tensor.stride_bytes[1] = 16;
    tensor.box[0] = 8;
    tensor.box[1] = 4;
    map_ = make_tensor_map_words(tensor);
  }

  void run(const simulator::Options& options) const {
    // The first half of the rows goes to byte 0, the second to byte 64: a box may start only at
    // 128.
    simulate_with<Wide>(one_cluster<Wide>(2, 64), options,
                        [this](Wide& shared) { thread(shared); });
  }

 private:
  struct Wide {
    isa::Mbarrier full;
    isa::Mbarrier empty;
    alignas(128) uint16_t half[2][64];
  };
  bool is(Mutation mutation) const { return mutation_ == mutation; }

  void thread(Wide& shared) const {
    if (is(Mutation::no_cluster_sync) && isa::cluster_cta_rank() == 1) {
      delay();
    }
    if (isa::thread_index() == 0) {
      isa::name_mbarrier(shared.full, "full", 0);
      isa::name_mbarrier(shared.empty, "empty", 0);
      isa::mbarrier_init(shared.full, 1);
      isa::mbarrier_init(shared.empty, 2);
      if (!is(Mutation::no_fence)) {
        isa::fence_mbarrier_init();
      }
    }
    if (is(Mutation::no_cluster_sync)) {
      isa::syncthreads();
    } else {
      cluster_sync();
    }
    const uint32_t rank = isa::cluster_cta_rank();
    if (isa::thread_index() == 32) {
      isa::mbarrier_arrive_expect_tx(shared.full, 128);
      isa::tensor_load_multicast<2>(shared.half[rank], map_, {0, static_cast<int>(rank) * 4},
                                    shared.full, 0b11);
      if (!is(Mutation::no_drain)) {
        isa::wait(shared.empty, 0, {"producer", "empty", 0});
      }
    } else if (isa::thread_index() == 0) {
      isa::wait(shared.full, 0, {"consumer", "full", 0});
      CHECK(isa::load_shared(shared.half[1][5]) == 37);
      if (rank == 1) {
        delay();
      }
      isa::mbarrier_arrive_remote(shared.empty, 0);
      isa::mbarrier_arrive_remote(shared.empty, 1);
    }
  }

  Mutation mutation_;
  alignas(16) uint16_t source_[64];
  isa::TensorMapWords map_;
};

TEST_CASE("hand-written multicast with a drain is clean") {
  const RawMulticast multicast;
  clean([&](const simulator::Options& options) { multicast.run(options); }, {.seeds = 40});
}

TEST_CASE("a CTA that leaves before its peer's last release") {
  const RawMulticast multicast(Mutation::no_drain);
  faults({FaultKind::leak, FaultKind::exited_cta}, {"empty[0]", "left"},
         [&](const simulator::Options& options) { multicast.run(options); });
}

TEST_CASE("barriers used across the cluster without fence_mbarrier_init") {
  const RawMulticast multicast(Mutation::no_fence);
  faults(FaultKind::mbarrier_fence_missing, {"[0]", "fence_mbarrier_init()"},
         [&](const simulator::Options& options) { multicast.run(options); });
}

TEST_CASE("barriers used across the cluster before the CTAs have met") {
  const RawMulticast multicast(Mutation::no_cluster_sync);
  faults(
      FaultKind::mbarrier_misuse, {"(CTA 0", "initialised"},
      [&](const simulator::Options& options) { multicast.run(options); }, late_enough);
}

/// CTA 0 does `late(shared)` after a while. CTA 1 leaves at once, or (`stays`) waits for full,
/// announcing `bytes` if any.
template <class Late>
auto after_exit(bool stays, Late late, uint32_t bytes = 0) {
  return [=](const simulator::Options& options) {
    simulate_with<Shared>(one_cluster<Shared>(2, 32), options, [=](Shared& shared) {
      if (isa::thread_index() == 0) {
        isa::mbarrier_init(shared.full, 1);
        isa::mbarrier_init(shared.empty, 1);
        isa::fence_mbarrier_init();
        isa::store_shared(shared.data[0][0], uint16_t{5});
        for (int i = 0; i < 8; ++i) {
          isa::store_shared(shared.data[1][i], uint16_t{6});
        }
        isa::fence_proxy_async_shared();
      }
      cluster_sync();
      if (isa::cluster_cta_rank() == 0 && isa::thread_index() == 0) {
        delay();
        late(shared);
      }
      if (stays) {
        if (isa::cluster_cta_rank() == 1 && isa::thread_index() == 0) {
          if (bytes != 0) {
            isa::mbarrier_arrive_expect_tx(shared.full, bytes);
          }
          isa::wait(shared.full, 0, {"peer", "full", 0});
        }
        cluster_sync();
      }
    });
  };
}

TEST_CASE("a remote arrival on a CTA that has left") {
  const auto arrive = [](Shared& shared) { isa::mbarrier_arrive_remote(shared.full, 1); };
  faults(FaultKind::exited_cta, {"of CTA 1, which has left"}, after_exit(false, arrive),
         late_enough);
  clean(after_exit(true, arrive));
}

TEST_CASE("a copy into a CTA that has left") {
  const auto send = [](Shared& shared) {
    isa::bulk_send(&shared.data[2], &shared.data[1], 16, shared.full, 1);
  };
  faults(FaultKind::exited_cta, {"a bulk copy into CTA 1, which has left"}, after_exit(false, send),
         late_enough);
  clean(after_exit(true, send, 16));
}

TEST_CASE("a multicast into a CTA that has left") {
  alignas(16) static const uint16_t source[64] = {};
  isa::TensorDescription tensor;
  tensor.base = source;
  tensor.type = isa::TensorElement::u16;
  tensor.rank = 1;
  tensor.extent[0] = tensor.box[0] = 8;
  const isa::TensorMapWords map = make_tensor_map_words(tensor);
  faults(FaultKind::exited_cta, {"a multicast into CTA 1, which has left"},
         after_exit(false,
                    [&](Shared& shared) {
                      isa::tensor_load_multicast<1>(&shared.data[0], map, {0}, shared.full, 2);
                    }),
         late_enough);
}

TEST_CASE("a CTA that is not in the cluster") {
  faults(FaultKind::out_of_bounds, {"CTA rank 2 is not in the cluster of 2"},
         after_exit(true, [](Shared& shared) { isa::mbarrier_arrive_remote(shared.full, 2); }));
}

TEST_CASE("the cluster's barrier out of turn") {
  const auto run = [](auto body) {
    return [=](const simulator::Options& options) {
      simulate_with<Shared>(one_cluster<Shared>(2, 32), options, [=](Shared&) { body(); });
    };
  };
  faults(FaultKind::named_barrier_misuse, {"cluster_wait without a cluster_arrive"},
         run([] { isa::cluster_wait(); }));
  faults(FaultKind::named_barrier_misuse, {"cluster_arrive twice"}, run([] {
           isa::cluster_arrive();
           isa::cluster_arrive();
         }));
  // One thread is held up elsewhere: the others wait for it. Had it left, they would not.
  const auto without_one_thread = [run](bool leaves) {
    return run([leaves] {
      if (isa::cluster_cta_rank() != 1 || isa::thread_index() != 3) {
        cluster_sync();
      } else if (!leaves) {
        isa::named_barrier_sync(1, 64);
      }
    });
  };
  faults(FaultKind::warp_disagreement,
         {"the cluster's barrier: 63 of 64 threads that have not left have arrived"},
         without_one_thread(false));
  clean(without_one_thread(true));
  clean(run([] {
    for (int i = 0; i < 10; ++i) {
      cluster_sync();
    }
  }));
}

}  // namespace
}  // namespace warpline::tests
