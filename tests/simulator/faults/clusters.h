// Faults between the CTAs of a cluster.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/cluster.h"
#include "warpline/isa/remote_store.h"
#include "warpline/isa/tensor_copy.h"
#include "warpline/isa/wait.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct ClusterShared {
  FaultTileA tile;
  alignas(128) int32_t row[32];
  isa::Mbarrier full;
  isa::Mbarrier empty;
};

/// Two CTAs of one warp each.
struct ClusterFault : FaultBody<1> {
  static constexpr ClusterShape cluster = {.x = 2};
  static constexpr unsigned ctas = 2;
  using Shared = ClusterShared;

  static WARPLINE_DEVICE void meet(SourceLine where = SourceLine::current()) {
    isa::cluster_arrive(where);
    isa::cluster_wait(where);
  }
  static WARPLINE_DEVICE bool first_thread_of(uint32_t rank) {
    return isa::cluster_cta_rank() == rank && isa::thread_index() == 0;
  }
};

struct ClusterBounds : ClusterFault {
  static constexpr FaultInfo info{.name = "cluster-bounds",
                                  .seen = {.rule = "cluster-bounds", .role = "consumer"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (isa::thread_index() == 0) {
      prepare(shared.empty, 1, "empty");
    }
    meet();
    if (first_thread_of(0)) {
      isa::enter_role("consumer");
      const auto peer = static_cast<uint32_t>(args.one) + (Faulty ? 1 : 0);
      isa::mbarrier_arrive_remote(shared.empty, peer);  // <- caught: cluster-bounds
    }
    if (first_thread_of(1)) {
      isa::wait(shared.empty, 0, {"producer", "empty", 0});
    }
    meet();
  }
};

/// What is right in a cluster of two, by the one CTA of a launch without a cluster.
struct StoreNeedsCluster : FaultBody<1> {
  static constexpr FaultInfo info{.name = "store-needs-cluster",
                                  .seen = {.rule = "store-needs-cluster", .role = "sender"},
                                  .file = __FILE__};
  using Shared = ClusterShared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::Mbarrier& full = shared.full;
      prepare(full, 1);
      isa::enter_role("sender");
      if constexpr (Faulty) {
        isa::mbarrier_arrive_expect_tx(full, 4);
        isa::store_async(shared.row[0], args.one, full, 0);  // <- caught: store-needs-cluster
      } else {
        isa::store_shared(shared.row[0], args.one);
        isa::mbarrier_arrive(full);
      }
      isa::wait(full, 0, {"sender", "full", 0});
      isa::store_global(&args.out[0], isa::load_shared(shared.row[0]));
    }
  }
};

struct ClusterInitFence : ClusterFault {
  static constexpr FaultInfo info{.name = "cluster-init-fence",
                                  .seen = {.rule = "cluster-init-fence", .role = "setup"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("setup");
      isa::name_mbarrier(shared.empty, "empty", 0);
      isa::mbarrier_init(shared.empty, 1);  // <- caught: cluster-init-fence
      if constexpr (!Faulty) {
        isa::fence_mbarrier_init();
      }
    }
    meet();
    if (first_thread_of(0)) {
      isa::mbarrier_arrive_remote(shared.empty, 1);
    } else if (first_thread_of(1)) {
      isa::wait(shared.empty, 0, {"producer", "empty", 0});
    }
    meet();
  }
};

struct ClusterBarrierTurns : ClusterFault {
  static constexpr FaultInfo info{.name = "cluster-barrier-turns",
                                  .seen = {.rule = "cluster-barrier-turns", .role = "worker"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared&) {
    isa::enter_role("worker");
    isa::cluster_arrive();
    if constexpr (!Faulty) {
      isa::cluster_wait();
    }
    isa::cluster_arrive();  // <- caught: cluster-barrier-turns
    isa::cluster_wait();
  }
};

/// A CTA leaves although a peer still arrives on its barrier.
struct ArrivalAfterExit : ClusterFault {
  static constexpr FaultInfo info{.name = "arrival-after-exit",
                                  .seen = {.rule = "access-after-exit", .role = "consumer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      prepare(shared.empty, 1, "empty");
    }
    meet();
    // [arrival_after_exit]
    if (first_thread_of(0)) {
      isa::enter_role("consumer");
      isa::mbarrier_arrive_remote(shared.empty, 1);  // <- caught: arrival-after-exit
    }
    if constexpr (!Faulty) {
      if (first_thread_of(1)) {
        isa::wait(shared.empty, 0, {"producer", "empty", 0});
      }
    }
    // [arrival_after_exit]
  }
};

struct MulticastAfterExit : ClusterFault {
  static constexpr FaultInfo info{.name = "multicast-after-exit",
                                  .seen = {.rule = "access-after-exit", .role = "producer"},
                                  .stage = 0,
                                  .file = __FILE__};
  /// Into CTA 1 only.
  static WARPLINE_DEVICE void load(FaultTileA* tile, const isa::TensorMapWords& map,
                                   isa::Mbarrier& full, SourceLine where = SourceLine::current()) {
    isa::tensor_load_multicast<2>(tile, map, {0, 0}, full, 2, where);
  }
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (isa::thread_index() == 0) {
      prepare(shared.full, 1);
    }
    meet();
    if (first_thread_of(0)) {
      isa::enter_role("producer");
      isa::Mbarrier& full = shared.full;
      FaultTileA* tile = &shared.tile;
      load(tile, args.a, full);  // <- caught: multicast-after-exit
    }
    if constexpr (!Faulty) {
      if (first_thread_of(1)) {
        isa::mbarrier_arrive_expect_tx(shared.full, FaultTileA::bytes);
        isa::wait(shared.full, 0, {"consumer", "full", 0});
      }
    }
  }
};

/// Bytes sent to a peer that has not told that they came.
struct SenderLeaves : ClusterFault {
  static constexpr FaultInfo info{.name = "sender-leaves",
                                  .seen = {.rule = "copy-at-exit", .role = "sender"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (isa::thread_index() == 0) {
      prepare(shared.full, 1);
      for (int i = 0; i < 32; ++i) {
        isa::store_shared(shared.row[i], args.one);
      }
      isa::fence_proxy_async_shared();
    }
    meet();
    int32_t* const target = reinterpret_cast<int32_t*>(&shared.tile);
    if (first_thread_of(0)) {
      isa::enter_role("sender");
      isa::bulk_send(target, shared.row, 128, shared.full, 1);  // <- caught: sender-leaves
    } else if (first_thread_of(1)) {
      isa::mbarrier_arrive_expect_tx(shared.full, 128);
      isa::wait(shared.full, 0, {"receiver", "full", 0});
      isa::store_global(&args.out[0], isa::load_shared(target[0]));
    }
    if constexpr (!Faulty) {
      meet();
    }
  }
};

/// An arrival on a peer's barrier has the scope of its own CTA: the letter of PTX only.
struct RemoteArrivalScope : ClusterFault {
  static constexpr FaultInfo info{.name = "remote-arrival-scope",
                                  .seen = {.rule = "remote-arrival-scope", .role = "consumer"},
                                  .stage = 0,
                                  .strict = true,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      prepare(shared.empty, 1, "empty");
    }
    meet();
    const uint32_t waiting = Faulty ? 1 : 0;
    if (first_thread_of(0)) {
      isa::enter_role("consumer");
      isa::mbarrier_arrive_remote(shared.empty, waiting);  // <- caught: remote-arrival-scope
    }
    if (first_thread_of(waiting)) {
      isa::wait(shared.empty, 0, {"producer", "empty", 0});
    }
    meet();
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
