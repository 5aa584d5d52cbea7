// Faults around loads by the copy engine.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct CopyStage {
  FaultTileA tile;
  alignas(128) int32_t row[2][32];
  isa::Mbarrier full;
  isa::Mbarrier empty;
};

/// One warp; its first thread loads.
struct CopyFault : FaultBody<1> {
  using Shared = CopyStage;
  static constexpr uint32_t row_bytes = 128;
};

struct CopyNotAwaited : CopyFault {
  static constexpr FaultInfo info{
      .name = "copy-not-awaited",
      .seen = {.rule = "copy-not-awaited", .role = "loader", .other = "loader"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      isa::name_region(row, row_bytes, "stage", 0);
      prepare(full, 1);
      // [copy_not_awaited]
      isa::mbarrier_arrive_expect_tx(full, row_bytes);
      isa::bulk_load(row, args.in, row_bytes, full);  // <- other: copy-not-awaited
      if constexpr (!Faulty) {
        isa::wait(full, 0, {"loader", "full", 0});
      }
      const int32_t first = isa::load_shared(row[0]);  // <- caught: copy-not-awaited
      // [copy_not_awaited]
      isa::store_global(&args.out[0], first);
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

/// One lane frees the stage for its whole warp; a shuffle does not order what the others read.
struct OverwrittenByLoad : CopyFault {
  static constexpr FaultInfo info{
      .name = "overwritten-by-load",
      .seen = {.rule = "overwritten-by-load", .role = "loader", .other = "reader"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::name_region(row, row_bytes, "stage", 0);
      prepare(full, 1);
      isa::mbarrier_arrive_expect_tx(full, row_bytes);
      isa::bulk_load(row, args.in, row_bytes, full);
    }
    isa::syncthreads();
    isa::wait(full, 0, {"reader", "full", 0});
    isa::enter_role("reader");
    const uint32_t lane = isa::lane_index();
    const int32_t value = isa::load_shared(row[lane]);  // <- other: overwritten-by-load
    isa::fence_proxy_async_shared();
    if constexpr (Faulty) {
      isa::shuffle(lane, 0);
    } else {
      isa::syncwarp();
    }
    isa::store_global(&args.out[lane], value);
    if (lane == 0) {
      isa::enter_role("loader");
      isa::mbarrier_arrive_expect_tx(full, row_bytes);
      isa::bulk_load(row, args.in, row_bytes, full);  // <- caught: overwritten-by-load
      isa::wait(full, 1, {"loader", "full", 0});
    }
  }
};

/// Two loads into one place, with no turn between them.
struct LoadOverLoad : CopyFault {
  static constexpr FaultInfo info{
      .name = "load-over-load",
      .seen = {.rule = "copy-not-awaited", .role = "loader", .other = "loader"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      isa::name_region(row, row_bytes, "stage", 0);
      prepare(full, 1);
      int32_t* const second = shared.row[Faulty ? 0 : 1];
      isa::mbarrier_arrive_expect_tx(full, 2 * row_bytes);
      isa::bulk_load(row, args.in, row_bytes, full);     // <- other: load-over-load
      isa::bulk_load(second, args.in, row_bytes, full);  // <- caught: load-over-load
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

/// A stage is read and freed without a proxy fence, and loaded again.
struct ProxyFenceAfterRead : CopyFault {
  static constexpr FaultInfo info{
      .name = "proxy-fence-after-read",
      .seen = {.rule = "proxy-fence-after-read", .role = "loader", .other = "reader"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::name_region(row, row_bytes, "stage", 0);
      prepare(full, 1);
      isa::mbarrier_arrive_expect_tx(full, row_bytes);
      isa::bulk_load(row, args.in, row_bytes, full);
    }
    isa::syncthreads();
    isa::wait(full, 0, {"reader", "full", 0});
    isa::enter_role("reader");
    const uint32_t lane = isa::lane_index();
    const int32_t value = isa::load_shared(row[lane]);  // <- other: proxy-fence-after-read
    if constexpr (!Faulty) {
      isa::fence_proxy_async_shared();
    }
    isa::syncwarp();
    isa::store_global(&args.out[lane], value);
    if (lane == 0) {
      isa::enter_role("loader");
      isa::mbarrier_arrive_expect_tx(full, row_bytes);
      isa::bulk_load(row, args.in, row_bytes, full);  // <- caught: proxy-fence-after-read
      isa::wait(full, 1, {"loader", "full", 0});
    }
  }
};

/// Global memory that a thread writes and the copy engine then reads.
struct GlobalProxyFence : CopyFault {
  static constexpr FaultInfo info{
      .name = "global-proxy-fence",
      .seen = {.rule = "proxy-fence-after-write", .role = "loader", .other = "loader"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      isa::store_global(&args.out[0], args.one);  // <- other: global-proxy-fence
      if constexpr (!Faulty) {
        isa::fence_proxy_async_global();
      }
      isa::mbarrier_arrive_expect_tx(full, row_bytes);
      isa::bulk_load(row, args.out, row_bytes, full);  // <- caught: global-proxy-fence
      isa::wait(full, 0, {"loader", "full", 0});
      isa::store_global(&args.out[40], isa::load_shared(row[0]));
    }
  }
};

struct LoadAtExit : CopyFault {
  static constexpr FaultInfo info{.name = "load-at-exit",
                                  .seen = {.rule = "copy-at-exit", .role = "loader"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      // [load_at_exit]
      isa::mbarrier_arrive_expect_tx(full, row_bytes);
      isa::bulk_load(row, args.in, row_bytes, full);  // <- caught: load-at-exit
      if constexpr (!Faulty) {
        isa::wait(full, 0, {"loader", "full", 0});
      }
      // [load_at_exit]
    }
  }
};

struct BarrierInitFence : CopyFault {
  static constexpr FaultInfo info{
      .name = "barrier-init-fence",
      .seen = {.rule = "barrier-init-fence", .role = "loader", .other = "loader"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      // [barrier_init_fence]
      isa::name_mbarrier(full, "full", 0);
      isa::mbarrier_init(full, 1);  // <- other: barrier-init-fence
      if constexpr (!Faulty) {
        isa::fence_mbarrier_init();
      }
      isa::mbarrier_arrive_expect_tx(full, row_bytes);
      isa::bulk_load(row, args.in, row_bytes, full);  // <- caught: barrier-init-fence
      // [barrier_init_fence]
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

/// Sixteen bytes fewer are announced than come.
struct SixteenBytesTooFew : CopyFault {
  static constexpr FaultInfo info{
      .name = "sixteen-bytes-too-few",
      .seen = {.rule = "bytes-not-announced", .role = "loader", .other = "loader"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      const uint32_t announced = Faulty ? row_bytes - 16 : row_bytes;
      isa::mbarrier_arrive_expect_tx(full, announced);  // <- other: sixteen-bytes-too-few
      isa::bulk_load(row, args.in, row_bytes, full);    // <- caught: sixteen-bytes-too-few
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

struct SixteenBytesTooMany : CopyFault {
  static constexpr FaultInfo info{
      .name = "sixteen-bytes-too-many",
      .seen = {.rule = "bytes-not-delivered", .role = "loader", .other = "loader"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      // [sixteen_bytes_too_many]
      const uint32_t announced = Faulty ? row_bytes + 16 : row_bytes;
      isa::mbarrier_arrive_expect_tx(full, announced);  // <- other: sixteen-bytes-too-many
      isa::bulk_load(row, args.in, row_bytes, full);
      isa::wait(full, 0, {"loader", "full", 0});  // <- caught: sixteen-bytes-too-many
      // [sixteen_bytes_too_many]
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
