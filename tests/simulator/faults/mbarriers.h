// Faults in the use of mbarriers, one instruction at a time.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct SharedBarriers {
  alignas(16) isa::Mbarrier full;
  alignas(16) isa::Mbarrier empty;
  alignas(128) int32_t word[64];
};

/// The first thread of one warp does it all.
struct MbarrierFault : FaultBody<1> {
  using Shared = SharedBarriers;
};

struct BarrierAlignment : MbarrierFault {
  static constexpr FaultInfo info{.name = "barrier-alignment",
                                  .seen = {.rule = "barrier-alignment", .role = "setup"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("setup");
    if (isa::thread_index() == 0) {
      int32_t* const word = &shared.word[Faulty ? args.one : 0];
      auto* const place = reinterpret_cast<isa::Mbarrier*>(word);
      isa::mbarrier_init(*place, 1);  // <- caught: barrier-alignment
    }
  }
};

struct BarrierNotInitialised : MbarrierFault {
  static constexpr FaultInfo info{.name = "barrier-not-initialised",
                                  .seen = {.rule = "barrier-not-initialised", .role = "producer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    isa::enter_role("producer");
    if (isa::thread_index() == 0) {
      isa::name_mbarrier(shared.full, "full", 0);
      if constexpr (!Faulty) {
        isa::mbarrier_init(shared.full, 1);
      }
      isa::mbarrier_arrive(shared.full);  // <- caught: barrier-not-initialised
      isa::wait(shared.full, 0, {"producer", "full", 0});
    }
  }
};

struct BarrierInitialisedTwice : MbarrierFault {
  static constexpr FaultInfo info{
      .name = "barrier-initialised-twice",
      .seen = {.rule = "barrier-initialised-twice", .role = "setup", .other = "setup"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    isa::enter_role("setup");
    if (isa::thread_index() == 0) {
      isa::name_mbarrier(shared.full, "full", 0);
      isa::mbarrier_init(shared.full, 1);  // <- other: barrier-initialised-twice
      if constexpr (!Faulty) {
        isa::mbarrier_invalidate(shared.full);
      }
      isa::mbarrier_init(shared.full, 2);  // <- caught: barrier-initialised-twice
    }
  }
};

struct BarrierOverwritten : MbarrierFault {
  static constexpr FaultInfo info{
      .name = "barrier-overwritten",
      .seen = {.rule = "barrier-overwritten", .role = "setup", .other = "setup"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    isa::enter_role("setup");
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.full, 1);  // <- other: barrier-overwritten
      if constexpr (!Faulty) {
        isa::mbarrier_invalidate(shared.full);
      }
      isa::store_shared(shared.full.word, uint64_t{0});  // <- caught: barrier-overwritten
    }
  }
};

/// A barrier ends while another warp waits on it.
struct BarrierInvalidatedInUse : FaultBody<2> {
  static constexpr FaultInfo info{
      .name = "barrier-invalidated-in-use",
      .seen = {.rule = "barrier-invalidated-in-use", .role = "owner", .other = "consumer"},
      .stage = 0,
      .file = __FILE__};
  using Shared = SharedBarriers;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      prepare(shared.full, 1);
    }
    isa::syncthreads();
    if (isa::thread_index() == 32) {
      isa::enter_role("consumer");
      isa::wait(shared.full, 0, {"consumer", "full", 0});  // <- other: barrier-invalidated-in-use
    }
    if constexpr (!Faulty) {
      if (isa::thread_index() == 0) {
        isa::mbarrier_arrive(shared.full);
      }
      isa::syncthreads();
    }
    if (isa::thread_index() == 0) {
      isa::enter_role("owner");
      isa::mbarrier_invalidate(shared.full);  // <- caught: barrier-invalidated-in-use
    }
  }
};

/// Another lane uses a barrier after nothing but a shuffle.
struct BarrierInitRace : MbarrierFault {
  static constexpr FaultInfo info{
      .name = "barrier-init-race",
      .seen = {.rule = "barrier-init-race", .role = "producer", .other = "setup"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("setup");
      prepare(shared.full, 1);  // <- other: barrier-init-race
    }
    const uint32_t arriving = isa::shuffle(1, 0);
    if constexpr (!Faulty) {
      isa::syncwarp();
    }
    if (isa::thread_index() == arriving) {
      isa::enter_role("producer");
      isa::mbarrier_arrive(shared.full);  // <- caught: barrier-init-race
      isa::wait(shared.full, 0, {"producer", "full", 0});
    }
  }
};

struct BarrierCountRange : MbarrierFault {
  static constexpr FaultInfo info{.name = "barrier-count-range",
                                  .seen = {.rule = "barrier-count-range", .role = "setup"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("setup");
    if (isa::thread_index() == 0) {
      const auto arrivals = static_cast<uint32_t>(args.one) - (Faulty ? 1 : 0);
      isa::mbarrier_init(shared.full, arrivals);  // <- caught: barrier-count-range
    }
  }
};

struct TransactionRange : MbarrierFault {
  static constexpr FaultInfo info{.name = "transaction-range",
                                  .seen = {.rule = "transaction-range", .role = "producer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("producer");
    if (isa::thread_index() == 0) {
      prepare(shared.full, 1);
      const uint32_t bytes = Faulty ? 1u << 20 : 128;
      isa::mbarrier_arrive_expect_tx(shared.full, bytes);  // <- caught: transaction-range
      isa::bulk_load(shared.word, args.in, 128, shared.full);
      isa::wait(shared.full, 0, {"producer", "full", 0});
      isa::store_global(&args.out[0], isa::load_shared(shared.word[1]));
    }
  }
};

struct CopyWithoutBarrier : MbarrierFault {
  static constexpr FaultInfo info{
      .name = "copy-without-barrier",
      .seen = {.rule = "copy-without-barrier", .role = "producer", .other = "producer"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("producer");
      prepare(shared.full, 1);
      isa::mbarrier_arrive_expect_tx(shared.full, 128);
      isa::bulk_load(shared.word, args.in, 128, shared.full);  // <- other: copy-without-barrier
      if constexpr (!Faulty) {
        isa::wait(shared.full, 0, {"producer", "full", 0});
      }
      isa::mbarrier_invalidate(shared.full);  // <- caught: copy-without-barrier
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
