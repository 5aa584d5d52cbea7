// Faults of a whole ring: a producer warp loads rows into two stages, a consumer warp adds them up.
// In raw instructions, below the typed API, which does not let most of these be written.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"

namespace warpline::tests::inline WARPLINE_TARGET {

enum class Planted {
  nothing,
  producer_starts_at_parity_0,
  no_wait_for_full,
  no_wait_for_empty,
  released_before_read,
  not_released,
  one_tile_less_read,
  no_drain,
};

struct RingShared {
  static constexpr int stages = 2;
  alignas(128) int32_t row[stages][32];
  isa::Mbarrier full[stages];
  isa::Mbarrier empty[stages];
};

template <Planted What>
struct SmallRing {
  static constexpr int tiles = 5;
  static constexpr int stages = RingShared::stages;
  static constexpr uint32_t bytes = 128;

  static WARPLINE_DEVICE void run(const FaultArguments& args, RingShared& shared) {
    if (isa::thread_index() == 0) {
      for (int stage = 0; stage < stages; ++stage) {
        isa::name_region(shared.row[stage], bytes, "stage", stage);
        prepare(shared.full[stage], 1, "full", stage);
        prepare(shared.empty[stage], 1, "empty", stage);
      }
    }
    isa::syncthreads();
    if (isa::thread_index() < 32) {
      isa::enter_role("producer");
      produce(args, shared);
    } else {
      isa::enter_role("consumer");
      consume(args, shared);
    }
  }

  static WARPLINE_DEVICE void produce(const FaultArguments& args, RingShared& shared) {
    int stage = 0;
    uint32_t parity = What == Planted::producer_starts_at_parity_0 ? 0 : 1;
    const auto advance = [&] {
      stage = (stage + 1) % stages;
      parity ^= stage == 0 ? 1 : 0;
    };
    for (int tile = 0; tile < tiles; ++tile) {
      isa::Mbarrier& full = shared.full[stage];
      isa::Mbarrier& empty = shared.empty[stage];
      if constexpr (What != Planted::no_wait_for_empty) {
        isa::wait(empty, parity, {"producer", "empty", stage});  // <- ring: wait for empty
      }
      isa::syncwarp();
      if (isa::elect_one()) {
        const int32_t* const from = args.in + tile * 32;
        isa::mbarrier_arrive_expect_tx(full, bytes);           // <- ring: announce
        isa::bulk_load(shared.row[stage], from, bytes, full);  // <- ring: load
      }
      advance();
    }
    for (int i = 0; i < stages && What != Planted::no_drain; ++i) {
      isa::wait(shared.empty[stage], parity, {"producer", "empty", stage});  // <- ring: drain
      advance();
    }
  }

  static WARPLINE_DEVICE void consume(const FaultArguments& args, RingShared& shared) {
    int stage = 0;
    uint32_t parity = 0;
    int32_t sum = 0;
    const int turns = What == Planted::one_tile_less_read ? tiles - 1 : tiles;
    for (int tile = 0; tile < turns; ++tile) {
      if constexpr (What != Planted::no_wait_for_full) {
        isa::wait(shared.full[stage], parity, {"consumer", "full", stage});
      }
      if constexpr (What == Planted::released_before_read) {
        release(shared.empty[stage]);
      }
      sum += isa::load_shared(shared.row[stage][isa::lane_index()]);  // <- ring: read
      isa::fence_proxy_async_shared();
      if constexpr (What != Planted::released_before_read && What != Planted::not_released) {
        release(shared.empty[stage]);  // <- ring: release
      }
      stage = (stage + 1) % stages;
      parity ^= stage == 0 ? 1 : 0;
    }
    isa::store_global(&args.out[isa::lane_index()], sum);
  }

  static WARPLINE_DEVICE void release(isa::Mbarrier& empty,
                                      SourceLine where = SourceLine::current()) {
    isa::syncwarp(where);
    if (isa::elect_one(where)) {
      isa::mbarrier_arrive(empty, 1, where);
    }
  }
};

template <Planted What>
struct RingFault : FaultBody<2> {
  using Shared = RingShared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    SmallRing<Faulty ? What : Planted::nothing>::run(args, shared);
  }
};

struct RingStartsAtParity0 : RingFault<Planted::producer_starts_at_parity_0> {
  static constexpr FaultInfo info{
      .name = "ring-starts-at-wrong-parity",
      .seen = {.rule = "deadlock", .role = "producer", .at = "ring: wait for empty"},
      .stage = 0,
      .file = __FILE__};
};

/// Whether the load was issued when the consumer reads is the schedule's choice.
struct RingNoWaitForFull : RingFault<Planted::no_wait_for_full> {
  static constexpr FaultInfo info{
      .name = "ring-no-wait-for-full",
      .seen = {.rule = "uninitialised-read", .role = "consumer", .at = "ring: read"},
      .also_seen = {.rule = "copy-not-awaited",
                    .role = "consumer",
                    .at = "ring: read",
                    .other = "producer",
                    .other_at = "ring: load"},
      .stage = 0,
      .file = __FILE__};
};

/// Whether the first load is complete when the second one is announced is the schedule's choice.
struct RingNoWaitForEmpty : RingFault<Planted::no_wait_for_empty> {
  static constexpr FaultInfo info{
      .name = "ring-no-wait-for-empty",
      .seen = {.rule = "too-many-arrivals", .role = "producer", .at = "ring: announce"},
      .also_seen = {.rule = "copy-not-awaited",
                    .role = "producer",
                    .at = "ring: load",
                    .other = "producer",
                    .other_at = "ring: load"},
      .stage = 0,
      .file = __FILE__};
};

struct RingReleasedBeforeRead : RingFault<Planted::released_before_read> {
  static constexpr FaultInfo info{.name = "ring-released-before-read",
                                  .seen = {.rule = "overwritten-by-load",
                                           .role = "producer",
                                           .at = "ring: load",
                                           .other = "consumer",
                                           .other_at = "ring: read"},
                                  .also_seen = {.rule = "copy-not-awaited",
                                                .role = "consumer",
                                                .at = "ring: read",
                                                .other = "producer",
                                                .other_at = "ring: load"},
                                  .file = __FILE__};
};

struct RingNotReleased : RingFault<Planted::not_released> {
  static constexpr FaultInfo info{
      .name = "ring-not-released",
      .seen = {.rule = "deadlock", .role = "producer", .at = "ring: wait for empty"},
      .stage = 0,
      .file = __FILE__};
};

struct RingOneTileLessRead : RingFault<Planted::one_tile_less_read> {
  static constexpr FaultInfo info{
      .name = "ring-one-tile-less-read",
      .seen = {.rule = "deadlock", .role = "producer", .at = "ring: drain"},
      .stage = 0,
      .file = __FILE__};
};

struct RingNotDrained : RingFault<Planted::no_drain> {
  static constexpr FaultInfo info{
      .name = "ring-not-drained",
      .seen = {.rule = "undrained-signal", .role = "consumer", .at = "ring: release"},
      .file = __FILE__};
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
