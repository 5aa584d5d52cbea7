// Faults of named barriers, and of registers handed from role to role.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/setmaxnreg.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct NothingShared {
  int32_t unused;
};

struct NamedBarrierNumber : FaultBody<2> {
  static constexpr FaultInfo info{.name = "named-barrier-number",
                                  .seen = {.rule = "named-barrier-number", .role = "worker"},
                                  .file = __FILE__};
  using Shared = NothingShared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    isa::enter_role("worker");
    const auto number = static_cast<uint32_t>(args.one) * (Faulty ? 16 : 15);
    isa::named_barrier_sync(number, 64);  // <- caught: named-barrier-number
  }
};

struct NamedBarrierCount : FaultBody<2> {
  static constexpr FaultInfo info{.name = "named-barrier-count",
                                  .seen = {.rule = "named-barrier-count", .role = "worker"},
                                  .file = __FILE__};
  using Shared = NothingShared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    isa::enter_role("worker");
    const auto threads = static_cast<uint32_t>(args.one) * (Faulty ? 48 : 64);
    isa::named_barrier_sync(3, threads);  // <- caught: named-barrier-count
  }
};

/// Two roles that meet, and disagree on how many they are.
struct NamedBarrierTwoCounts : FaultBody<4> {
  static constexpr FaultInfo info{
      .name = "named-barrier-two-counts",
      .seen = {.rule = "named-barrier-count", .role = "reader", .other = "writer"},
      .either_way = true,
      .file = __FILE__};
  using Shared = NothingShared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared&) {
    // [named_barrier_two_counts]
    if (isa::thread_index() < 64) {
      isa::enter_role("writer");
      isa::named_barrier_sync(3, 128);  // <- other: named-barrier-two-counts
    } else {
      isa::enter_role("reader");
      isa::named_barrier_sync(3, Faulty ? 96 : 128);  // <- caught: named-barrier-two-counts
    }
    // [named_barrier_two_counts]
  }
};

/// Two pairs of warps, each with a meeting of its own, at one number.
struct NamedBarrierShared : FaultBody<4> {
  static constexpr FaultInfo info{.name = "named-barrier-shared",
                                  .seen = {.rule = "named-barrier-shared",
                                           .role = "worker",
                                           .at = "named-barrier-shared",
                                           .other = "worker",
                                           .other_at = "named-barrier-shared"},
                                  .file = __FILE__};
  using Shared = NothingShared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared&) {
    isa::enter_role("worker");
    const uint32_t pair = isa::thread_index() / 64;
    isa::named_barrier_sync(3 + (Faulty ? 0 : pair), 64);  // <- named-barrier-shared
  }
};

/// A role waits for more threads than come.
struct NamedBarrierShort : FaultBody<4> {
  static constexpr FaultInfo info{.name = "named-barrier-short",
                                  .seen = {.rule = "deadlock", .role = "reader"},
                                  .file = __FILE__};
  using Shared = NothingShared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared&) {
    if (isa::thread_index() < 64) {
      isa::enter_role("reader");
      isa::named_barrier_sync(3, Faulty ? 96 : 64);  // <- caught: named-barrier-short
    }
  }
};

/// 12 warps, launched with 168 registers each: what nvcc gives kernels that use setmaxnreg.
struct RegisterFault : FaultBody<12> {
  using Shared = NothingShared;
  static constexpr int registers(bool /*faulty*/) { return 168; }
};

/// The wrong one of the two instructions.
struct RegisterCount : RegisterFault {
  static constexpr FaultInfo info{.name = "register-count",
                                  .seen = {.rule = "register-count", .role = "taker"},
                                  .not_on_gpu = "ptxas refuses it",
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared&) {
    // [register_count]
    if (isa::thread_index() < 128) {
      isa::enter_role("giver");
      isa::setmaxnreg_decrease<40>();
    } else {
      isa::enter_role("taker");
      if constexpr (Faulty) {
        isa::setmaxnreg_decrease<232>();  // <- caught: register-count
      } else {
        isa::setmaxnreg_increase<232>();
      }
    }
    // [register_count]
  }
};

struct RegistersNotGranted : RegisterFault {
  static constexpr FaultInfo info{.name = "registers-not-granted",
                                  .seen = {.rule = "registers-not-granted", .role = "taker"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared&) {
    if (isa::thread_index() < 128) {
      isa::enter_role("giver");
      isa::setmaxnreg_decrease<40>();
    } else {
      isa::enter_role("taker");
      isa::setmaxnreg_increase<Faulty ? 240 : 232>();  // <- caught: registers-not-granted
    }
  }
};

struct RegisterLaunch : RegisterFault {
  static constexpr FaultInfo info{.name = "register-launch",
                                  .seen = {.rule = "register-launch", .role = "giver"},
                                  .not_on_gpu = "the rule is about what the simulator must be told",
                                  .file = __FILE__};
  static constexpr int registers(bool faulty) { return faulty ? 0 : 168; }
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments&, Shared&) {
    if (isa::thread_index() < 128) {
      isa::enter_role("giver");
      isa::setmaxnreg_decrease<40>();  // <- caught: register-launch
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
