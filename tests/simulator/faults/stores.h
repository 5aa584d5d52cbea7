// Faults around stores by the copy engine.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/bulk_group.h"
#include "warpline/isa/tensor_copy.h"
#include "warpline/isa/warp.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct StoreBuffers {
  FaultTileA tile;
  alignas(128) int32_t row[2][32];
};

/// One warp writes rows, and its first lane stores them.
struct StoreFault : FaultBody<1> {
  using Shared = StoreBuffers;
  static constexpr uint32_t row_bytes = 128;
  static WARPLINE_DEVICE bool leader() { return isa::lane_index() == 0; }
};

struct ProxyFenceBeforeStore : StoreFault {
  static constexpr FaultInfo info{
      .name = "proxy-fence-before-store",
      .seen = {.rule = "proxy-fence-after-write", .role = "storer", .other = "storer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("storer");
    int32_t* const row = shared.row[0];
    // [proxy_fence_before_store]
    isa::store_shared(row[isa::lane_index()], args.one);  // <- other: proxy-fence-before-store
    if constexpr (!Faulty) {
      isa::fence_proxy_async_shared();
    }
    isa::syncwarp();
    if (leader()) {
      isa::bulk_store(args.out, row, row_bytes);  // <- caught: proxy-fence-before-store
      isa::bulk_commit_group();
      isa::bulk_wait_group_read<0>();
    }
    // [proxy_fence_before_store]
  }
};

/// Lanes fence what they wrote, but nothing orders it before the leader's store.
struct StoredTooEarly : StoreFault {
  static constexpr FaultInfo info{
      .name = "stored-too-early",
      .seen = {.rule = "stored-too-early", .role = "storer", .other = "storer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("storer");
    int32_t* const row = shared.row[0];
    isa::store_shared(row[isa::lane_index()], args.one);  // <- other: stored-too-early
    isa::fence_proxy_async_shared();
    if constexpr (Faulty) {
      isa::shuffle(1, 0);
    } else {
      isa::syncwarp();
    }
    if (leader()) {
      isa::bulk_store(args.out, row, row_bytes);  // <- caught: stored-too-early
      isa::bulk_commit_group();
      isa::bulk_wait_group_read<0>();
    }
  }
};

struct StoreBufferRewritten : StoreFault {
  static constexpr FaultInfo info{
      .name = "store-buffer-rewritten",
      .seen = {.rule = "store-buffer-rewritten", .role = "storer", .other = "storer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (leader()) {
      isa::enter_role("storer");
      int32_t* const row = shared.row[0];
      for (int i = 0; i < 32; ++i) {
        isa::store_shared(row[i], args.one);
      }
      isa::fence_proxy_async_shared();
      // [store_buffer_rewritten]
      isa::bulk_store(args.out, row, row_bytes);  // <- other: store-buffer-rewritten
      isa::bulk_commit_group();
      if constexpr (!Faulty) {
        isa::bulk_wait_group_read<0>();
      }
      isa::store_shared(row[31], 2 * args.one);  // <- caught: store-buffer-rewritten
      // [store_buffer_rewritten]
      isa::bulk_wait_group_read<0>();
    }
  }
};

/// A ring of two buffers whose wait leaves two stores running instead of one.
struct StoreRingWaitsTooLate : StoreFault {
  static constexpr FaultInfo info{
      .name = "store-ring-waits-too-late",
      .seen = {.rule = "store-buffer-rewritten", .role = "storer", .other = "storer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("storer");
    const uint32_t lane = isa::lane_index();
    for (int tile = 0; tile < 6; ++tile) {
      int32_t* const row = shared.row[tile % 2];
      if (leader()) {
        isa::bulk_wait_group_read<Faulty ? 2 : 1>();
      }
      isa::syncwarp();
      isa::store_shared(row[lane], tile * args.one);  // <- caught: store-ring-waits-too-late
      isa::fence_proxy_async_shared();
      isa::syncwarp();
      if (leader()) {
        int32_t* const target = args.out + tile * 32;
        isa::bulk_store(target, row, row_bytes);  // <- other: store-ring-waits-too-late
        isa::bulk_commit_group();
      }
    }
    if (leader()) {
      isa::bulk_wait_group_read<0>();
    }
  }
};

/// The wait for the read is taken for the wait for the write.
struct StoreNotComplete : StoreFault {
  static constexpr FaultInfo info{
      .name = "store-not-complete",
      .seen = {.rule = "store-not-complete", .role = "storer", .other = "storer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (leader()) {
      isa::enter_role("storer");
      int32_t* const row = shared.row[0];
      for (int i = 0; i < 32; ++i) {
        isa::store_shared(row[i], args.one);
      }
      isa::fence_proxy_async_shared();
      isa::bulk_store(args.out, row, row_bytes);  // <- other: store-not-complete
      isa::bulk_commit_group();
      if constexpr (Faulty) {
        isa::bulk_wait_group_read<0>();
      } else {
        isa::bulk_wait_group<0>();
      }
      const int32_t value = isa::load_global(&args.out[31]);  // <- caught: store-not-complete
      isa::store_global(&args.out[40], value);
    }
  }
};

struct StoreAtExit : StoreFault {
  static constexpr FaultInfo info{.name = "store-at-exit",
                                  .seen = {.rule = "copy-at-exit", .role = "storer"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    if (leader()) {
      isa::enter_role("storer");
      int32_t* const row = shared.row[0];
      for (int i = 0; i < 32; ++i) {
        isa::store_shared(row[i], args.one);
      }
      isa::fence_proxy_async_shared();
      isa::bulk_store(args.out, row, row_bytes);  // <- caught: store-at-exit
      isa::bulk_commit_group();
      if constexpr (!Faulty) {
        isa::bulk_wait_group_read<0>();
      }
    }
  }
};

struct StoreCoordinate : StoreFault {
  static constexpr FaultInfo info{.name = "store-coordinate",
                                  .seen = {.rule = "store-coordinate", .role = "storer"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::enter_role("storer");
    for (int i = 0; i < FaultTileA::rows * FaultTileA::columns; i += 32) {
      const int place = i + static_cast<int>(isa::lane_index());
      shared.tile.store(place / 16, place % 16, __float2half(1));
    }
    isa::fence_proxy_async_shared();
    isa::syncwarp();
    if (leader()) {
      const int32_t row = Faulty ? -args.one : args.one;
      isa::tensor_store<2>(args.store, {0, row}, &shared.tile);  // <- caught: store-coordinate
      isa::bulk_commit_group();
      isa::bulk_wait_group_read<0>();
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
