// Faults in the phases of mbarriers: arrivals and waits that do not fit together.
#pragma once

#include "tests/simulator/faults/mbarriers.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// A stage released twice where one release is counted.
struct TooManyArrivals : MbarrierFault {
  static constexpr FaultInfo info{.name = "too-many-arrivals",
                                  .seen = {.rule = "too-many-arrivals", .role = "consumer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("consumer");
      prepare(shared.empty, 2, "empty");
      // [too_many_arrivals]
      isa::mbarrier_arrive(shared.empty);
      isa::mbarrier_arrive(shared.empty, Faulty ? 2 : 1);  // <- caught: too-many-arrivals
      // [too_many_arrivals]
      isa::wait(shared.empty, 0, {"consumer", "empty", 0});
    }
  }
};

struct ParityRange : MbarrierFault {
  static constexpr FaultInfo info{.name = "parity-range",
                                  .seen = {.rule = "parity-range", .role = "consumer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("consumer");
      prepare(shared.full, 1);
      isa::mbarrier_arrive(shared.full);
      const auto parity = static_cast<uint32_t>(args.one) + (Faulty ? 1u : ~0u);
      isa::wait(shared.full, parity, {"consumer", "full", 0});  // <- caught: parity-range
    }
  }
};

/// A wait that comes two phases too late: one bit of parity cannot tell.
struct LappedWait : MbarrierFault {
  static constexpr FaultInfo info{.name = "lapped-wait",
                                  .seen = {.rule = "lapped-wait", .role = "consumer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("consumer");
      prepare(shared.full, 1);
      isa::mbarrier_arrive(shared.full);
      if constexpr (!Faulty) {
        isa::wait(shared.full, 0, {"consumer", "full", 0});
      }
      isa::mbarrier_arrive(shared.full);
      isa::wait(shared.full, 1, {"consumer", "full", 0});  // <- caught: lapped-wait
    }
  }
};

struct HalfPhaseAtExit : MbarrierFault {
  static constexpr FaultInfo info{.name = "half-phase-at-exit",
                                  .seen = {.rule = "half-phase-at-exit", .role = "consumer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("consumer");
      prepare(shared.empty, Faulty ? 2 : 1, "empty");
      isa::mbarrier_arrive(shared.empty);  // <- caught: half-phase-at-exit
      if constexpr (!Faulty) {
        isa::wait(shared.empty, 0, {"consumer", "empty", 0});
      }
    }
  }
};

struct UndrainedSignal : MbarrierFault {
  static constexpr FaultInfo info{.name = "undrained-signal",
                                  .seen = {.rule = "undrained-signal", .role = "consumer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("consumer");
      prepare(shared.empty, 1, "empty");
      // [undrained_signal]
      isa::mbarrier_arrive(shared.empty);  // <- caught: undrained-signal
      if constexpr (!Faulty) {
        isa::wait(shared.empty, 0, {"producer", "empty", 0});
      }
      // [undrained_signal]
    }
  }
};

/// An arrival count typed in by hand, one too high.
struct CountByHand : FaultBody<2> {
  static constexpr FaultInfo info{.name = "count-by-hand",
                                  .seen = {.rule = "deadlock", .role = "consumer"},
                                  .stage = 0,
                                  .file = __FILE__};
  using Shared = SharedBarriers;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    // [count_by_hand]
    if (isa::thread_index() == 0) {
      prepare(shared.full, Faulty ? 33 : 32);
    }
    isa::syncthreads();
    if (isa::thread_index() < 32) {
      isa::enter_role("producer");
      isa::mbarrier_arrive(shared.full);
    } else {
      isa::enter_role("consumer");
      isa::wait(shared.full, 0, {"consumer", "full", 0});  // <- caught: count-by-hand
    }
    // [count_by_hand]
  }
};

/// The same with a loop that polls: nothing is stuck, and nothing goes on.
struct PollsForEver : MbarrierFault {
  static constexpr FaultInfo info{.name = "polls-for-ever",
                                  .seen = {.rule = "no-progress", .role = "consumer"},
                                  .max_steps = 20000,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared& shared) {
    if (isa::thread_index() == 0) {
      isa::enter_role("consumer");
      prepare(shared.full, 2);
      isa::mbarrier_arrive(shared.full, Faulty ? 1 : 2);
      // [polls_for_ever]
      while (!isa::mbarrier_test_wait(shared.full, 0)) {  // <- caught: polls-for-ever
      }
      // [polls_for_ever]
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
