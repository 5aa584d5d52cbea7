// Faults between clusters, which only atomic accesses to global memory synchronise.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/atomic.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// Two CTAs, each a cluster of its own.
struct HandOverFault : FaultBody<1> {
  static constexpr unsigned ctas = 2;
  struct Shared {
    int32_t unused;
  };
};

struct AtomicAlignment : HandOverFault {
  static constexpr FaultInfo info{.name = "atomic-alignment",
                                  .seen = {.rule = "atomic-alignment", .role = "counter"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    if (isa::thread_index() == 0) {
      isa::enter_role("counter");
      auto* const bytes = reinterpret_cast<unsigned char*>(args.flags) + (Faulty ? 2 : 4);
      auto* const count = reinterpret_cast<uint32_t*>(bytes);
      isa::add_relaxed(count, 1u);  // <- caught: atomic-alignment
    }
  }
};

/// A flag that is set without a release hands nothing over.
struct FlagWithoutRelease : HandOverFault {
  static constexpr FaultInfo info{
      .name = "flag-without-release",
      .seen = {.rule = "cluster-race", .role = "reader", .other = "writer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    if (isa::thread_index() != 0) {
      return;
    }
    if (isa::block_index().x == 0) {
      isa::enter_role("writer");
      isa::store_global(&args.out[0], args.one);  // <- other: flag-without-release
      if constexpr (Faulty) {
        isa::add_relaxed(&args.flags[0], 1u);
      } else {
        isa::store_release(&args.flags[0], 1u);
      }
    } else {
      isa::enter_role("reader");
      isa::wait_at_least(&args.flags[0], 1u, {"reader", "flag", 0});
      const int32_t value = isa::load_global(&args.out[0]);  // <- caught: flag-without-release
      isa::store_global(&args.out[1], value);
    }
  }
};

/// Many add, and one of them writes as if it were alone.
struct OrdinaryWriteOfSum : HandOverFault {
  static constexpr FaultInfo info{
      .name = "ordinary-write-of-a-sum",
      .seen = {.rule = "cluster-race", .role = "writer", .other = "adder"},
      .either_way = true,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    if (isa::thread_index() != 0) {
      return;
    }
    if (isa::block_index().x == 0) {
      isa::enter_role("adder");
      isa::add_relaxed(&args.flags[0], 1u);  // <- other: ordinary-write-of-a-sum
    } else if (Faulty) {
      isa::enter_role("writer");
      isa::store_global(&args.flags[0], 7u);  // <- caught: ordinary-write-of-a-sum
    } else {
      isa::add_relaxed(&args.flags[0], 7u);
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
