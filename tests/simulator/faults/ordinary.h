// Faults between ordinary accesses, and of the instructions that a warp executes together.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/stmatrix.h"
#include "warpline/isa/warp.h"
#include "warpline/numbers.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct SharedWords {
  alignas(128) int32_t word[64];
};

/// Two warps, one of which writes what the other reads.
struct OrdinaryRace : FaultBody<2> {
  static constexpr FaultInfo info{
      .name = "ordinary-race",
      .seen = {.rule = "data-race", .role = "reader", .other = "writer"},
      .either_way = true,
      .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    const uint32_t lane = isa::lane_index();
    isa::store_shared(shared.word[isa::thread_index()], 0);
    isa::syncthreads();
    // [ordinary_race]
    if (isa::thread_index() < 32) {
      isa::enter_role("writer");
      isa::store_shared(shared.word[lane], args.one);  // <- other: ordinary-race
    }
    if constexpr (!Faulty) {
      isa::syncthreads();
    }
    if (isa::thread_index() >= 32) {
      isa::enter_role("reader");
      const int32_t value = isa::load_shared(shared.word[lane]);  // <- caught: ordinary-race
      isa::store_global(&args.out[lane], value);
    }
    // [ordinary_race]
  }
};

/// Sixteen bytes at once, as a row would be loaded whose stride is no multiple of that.
struct AccessAlignment : FaultBody<1> {
  static constexpr FaultInfo info{.name = "access-alignment",
                                  .seen = {.rule = "access-alignment", .role = "loader"},
                                  .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    using Unit = Pack<int32_t, 4>;
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      const int32_t* const row = args.in + (Faulty ? 2 : 4) * args.one;
      const Unit unit =
          isa::load_global(reinterpret_cast<const Unit*>(row));  // <- caught: access-alignment
      // All of it: of one element the compiler would load no more.
      isa::store_global(reinterpret_cast<Unit*>(&args.out[0]), unit);
    }
  }
};

/// The same through global memory.
struct GlobalRace : FaultBody<2> {
  static constexpr FaultInfo info{
      .name = "global-race",
      .seen = {.rule = "data-race", .role = "reader", .other = "writer"},
      .either_way = true,
      .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    const uint32_t lane = isa::lane_index();
    if (isa::thread_index() < 32) {
      isa::enter_role("writer");
      isa::store_global(&args.out[lane], args.one);  // <- other: global-race
    }
    if constexpr (!Faulty) {
      isa::syncthreads();
    }
    if (isa::thread_index() >= 32) {
      isa::enter_role("reader");
      const int32_t value = isa::load_global(&args.out[lane]);  // <- caught: global-race
      isa::store_global(&args.out[32 + lane], value);
    }
  }
};

/// Lanes exchange data through shared memory; a shuffle between the two orders nothing.
struct ShuffleForSyncwarp : FaultBody<1> {
  static constexpr FaultInfo info{
      .name = "shuffle-for-syncwarp",
      .seen = {.rule = "data-race", .role = "worker", .other = "worker"},
      .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("worker");
    const uint32_t lane = isa::lane_index();
    isa::store_shared(shared.word[lane], args.one);  // <- other: shuffle-for-syncwarp
    const uint32_t next = isa::shuffle(lane, (lane + 1) % 32);
    if constexpr (!Faulty) {
      isa::syncwarp();
    }
    const int32_t value = isa::load_shared(shared.word[next]);  // <- caught: shuffle-for-syncwarp
    isa::store_global(&args.out[lane], value);
  }
};

/// One CTA writes what another one, of another cluster, reads in the same launch.
struct ClusterRace : FaultBody<1> {
  static constexpr FaultInfo info{
      .name = "grid-race",
      .seen = {.rule = "cluster-race", .role = "reader", .other = "writer"},
      .either_way = true,
      .file = __FILE__};
  static constexpr unsigned ctas = 2;
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    if (isa::thread_index() != 0) {
      return;
    }
    if (isa::block_index().x == 0) {
      isa::enter_role("writer");
      isa::store_global(&args.out[0], args.one);  // <- other: grid-race
    } else {
      isa::enter_role("reader");
      const int32_t value = isa::load_global(&args.out[Faulty ? 0 : 1]);  // <- caught: grid-race
      isa::store_global(&args.out[2], value);
    }
  }
};

struct UninitialisedRead : FaultBody<1> {
  static constexpr FaultInfo info{.name = "uninitialised-read",
                                  .seen = {.rule = "uninitialised-read", .role = "worker"},
                                  .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("worker");
    const uint32_t lane = isa::lane_index();
    // [uninitialised_read]
    if (!Faulty || lane != 31) {
      isa::store_shared(shared.word[lane], args.one);
    }
    const int32_t value = isa::load_shared(shared.word[lane]);  // <- caught: uninitialised-read
    // [uninitialised_read]
    isa::store_global(&args.out[lane], value);
  }
};

struct SharedBounds : FaultBody<1> {
  static constexpr FaultInfo info{.name = "shared-bounds",
                                  .seen = {.rule = "shared-bounds", .role = "worker"},
                                  .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("worker");
    // [shared_bounds]
    const auto place = static_cast<uint32_t>(args.one) * (Faulty ? 33 : 32) + isa::lane_index();
    isa::store_shared(shared.word[place], args.one);  // <- caught: shared-bounds
    // [shared_bounds]
  }
};

struct ShuffleLane : FaultBody<1> {
  static constexpr FaultInfo info{
      .name = "shuffle-lane", .seen = {.rule = "shuffle-lane", .role = "worker"}, .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    isa::enter_role("worker");
    const uint32_t lane = isa::lane_index();
    const uint32_t next = Faulty ? lane + static_cast<uint32_t>(args.one) : (lane + 1) % 32;
    const uint32_t value = isa::shuffle(lane, next);  // <- caught: shuffle-lane
    isa::store_global(&args.out[lane], static_cast<int32_t>(value));
  }
};

struct LanesDisagree : FaultBody<1> {
  static constexpr FaultInfo info{
      .name = "lanes-disagree",
      .seen = {.rule = "lanes-disagree", .role = "worker", .other = "worker"},
      .either_way = true,
      .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    isa::enter_role("worker");
    const uint32_t lane = isa::lane_index();
    uint32_t value = 0;
    // [lanes_disagree]
    if (Faulty && lane < 16) {
      isa::syncwarp();  // <- other: lanes-disagree
    } else {
      value = isa::shuffle(lane, 20);  // <- caught: lanes-disagree
    }
    // [lanes_disagree]
    isa::store_global(&args.out[lane], static_cast<int32_t>(value) * args.one);
  }
};

struct LaneMissing : FaultBody<1> {
  static constexpr FaultInfo info{
      .name = "lane-missing",
      .seen = {.rule = "lanes-disagree", .role = "worker", .other = "worker"},
      .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    isa::enter_role("worker");
    const uint32_t lane = isa::lane_index();
    isa::store_global(&args.out[lane], args.one);  // <- other: lane-missing
    if (!Faulty || lane != 9) {
      const uint32_t value = isa::shuffle(lane, 0);  // <- caught: lane-missing
      isa::store_global(&args.out[32 + lane], static_cast<int32_t>(value));
    }
  }
};

/// A barrier of the CTA in code that only half of a warp runs.
struct HalfWarpBarrier : FaultBody<1> {
  static constexpr FaultInfo info{
      .name = "half-warp-barrier",
      .seen = {.rule = "lanes-disagree", .role = "worker", .other = "worker"},
      .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared&) {
    isa::enter_role("worker");
    isa::store_global(&args.out[isa::lane_index()], args.one);  // <- other: half-warp-barrier
    if (!Faulty || isa::lane_index() < 16) {
      isa::syncthreads();  // <- caught: half-warp-barrier
    }
  }
};

struct MatrixRow : FaultBody<1> {
  static constexpr FaultInfo info{.name = "matrix-row",
                                  .seen = {.rule = "matrix-row-alignment", .role = "worker"},
                                  .file = __FILE__};
  using Shared = SharedWords;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("worker");
    const uint32_t lane = isa::lane_index();
    const uint32_t word = lane % 8 * 4 + (Faulty ? 2 : 0);
    isa::stmatrix<1>(&shared.word[word], {lane});  // <- caught: matrix-row
    isa::syncwarp();
    if (lane < 16) {
      isa::store_global(&args.out[lane], isa::load_shared(shared.word[lane]));
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
