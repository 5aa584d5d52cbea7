// Faults around multiplies and the shared memory that they read.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/isa/tensor_copy.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"
#include "warpline/isa/wgmma.h"
#include "warpline/mma.h"
#include "warpline/operand.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct MultiplyShared {
  FaultTileA a;
  FaultTileB b;
  isa::Mbarrier full;
  isa::Mbarrier empty;
};

/// One warpgroup: 64 x 8 sums over K = 16.
struct MultiplyFault : FaultBody<4> {
  using Shared = MultiplyShared;
  static constexpr int columns = 8;
  static constexpr uint32_t bytes = FaultTileA::bytes + FaultTileB::bytes;

  /// One thread: both operands, by the copy engine.
  static WARPLINE_DEVICE void load(const FaultArguments& args, Shared& shared,
                                   SourceLine where = SourceLine::current()) {
    isa::mbarrier_arrive_expect_tx(shared.full, bytes, where);
    isa::tensor_load<2>(&shared.a, args.a, {0, 0}, shared.full, where);
    isa::tensor_load<2>(&shared.b, args.b, {0, 0}, shared.full, where);
  }

  /// Prepares the barriers, loads, and waits.
  static WARPLINE_DEVICE void fill(const FaultArguments& args, Shared& shared,
                                   uint32_t releases = 1,
                                   SourceLine where = SourceLine::current()) {
    if (isa::thread_index() == 0) {
      isa::name_region(&shared.a, sizeof shared.a + sizeof shared.b, "stage", 0);
      prepare(shared.full, 1);
      prepare(shared.empty, releases, "empty");
      load(args, shared, where);
    }
    isa::syncthreads();
    isa::wait(shared.full, 0, {"consumer", "full", 0});
    isa::enter_role("consumer");
  }

  static WARPLINE_DEVICE void multiply(Shared& shared, float (&sums)[columns / 2],
                                       bool accumulate = false,
                                       SourceLine where = SourceLine::current()) {
    isa::wgmma<columns, isa::WgmmaOptions{}>(sums, operand<isa::Major::k>(shared.a).at(0, 0),
                                             operand<isa::Major::k>(shared.b).at(0, 0), accumulate,
                                             where);
  }

  static WARPLINE_DEVICE void finish(SourceLine where = SourceLine::current()) {
    isa::wgmma_commit_group(where);
    isa::wgmma_wait_group<0>(where);
  }

  /// For the comparison with the twin.
  static WARPLINE_DEVICE void keep(const FaultArguments& args, float (&sums)[columns / 2]) {
    isa::hold_registers(sums);
    for (int i = 0; i < columns / 2; ++i) {
      isa::store_global(&args.out[isa::thread_index() * (columns / 2) + static_cast<uint32_t>(i)],
                        static_cast<int32_t>(sums[i]));
    }
  }
};

/// The stage is handed on, and loaded again, before the wait that covers its multiply.
struct ReleasedBeforeWait : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "released-before-wait",
      .seen = {.rule = "stage-in-multiply", .role = "producer", .other = "consumer"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared, 128);
    float sums[columns / 2];
    // [released_before_wait]
    isa::wgmma_fence();
    multiply(shared, sums);  // <- other: released-before-wait
    isa::wgmma_commit_group();
    if constexpr (Faulty) {
      isa::mbarrier_arrive(shared.empty);
      isa::wgmma_wait_group<1>();
    } else {
      isa::wgmma_wait_group<0>();
      isa::mbarrier_arrive(shared.empty);
    }
    // [released_before_wait]
    if (isa::thread_index() == 0) {
      isa::enter_role("producer");
      isa::wait(shared.empty, 0, {"producer", "empty", 0});
      load(args, shared);  // <- caught: released-before-wait
      isa::wait(shared.full, 1, {"producer", "full", 0});
    }
    isa::wgmma_wait_group<0>();
    keep(args, sums);
  }
};

/// An ordinary write into an operand that a multiply may still read.
struct OperandRewritten : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "operand-rewritten",
      .seen = {.rule = "stage-in-multiply", .role = "consumer", .other = "consumer"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    float sums[columns / 2];
    isa::wgmma_fence();
    multiply(shared, sums);  // <- other: operand-rewritten
    isa::wgmma_commit_group();
    if constexpr (!Faulty) {
      isa::wgmma_wait_group<0>();
    }
    isa::syncthreads();
    if (isa::thread_index() == 0) {
      shared.a.store(0, 0, __float2half(2));  // <- caught: operand-rewritten
    }
    isa::wgmma_wait_group<0>();
    keep(args, sums);
  }
};

/// One thread speaks for four warps after a multiply: the letter of PTX only.
struct ReleaseForWarpgroup : FaultBody<5> {
  using Base = MultiplyFault;
  static constexpr FaultInfo info{
      .name = "release-for-warpgroup",
      .seen = {.rule = "release-for-warpgroup", .role = "producer", .other = "consumer"},
      .stage = 0,
      .strict = true,
      .file = __FILE__};
  using Shared = Base::Shared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    Base::fill(args, shared, Faulty ? 1 : 128);
    isa::syncthreads();  // nobody still waits for the phase that the producer's load ends
    if (isa::thread_index() < 128) {
      float sums[Base::columns / 2];
      isa::wgmma_fence();
      Base::multiply(shared, sums);  // <- other: release-for-warpgroup
      Base::finish();
      if (!Faulty || isa::thread_index() == 0) {
        isa::mbarrier_arrive(shared.empty);
      }
      Base::keep(args, sums);
    } else if (isa::thread_index() == 128) {
      isa::enter_role("producer");
      isa::wait(shared.empty, 0, {"producer", "empty", 0});
      Base::load(args, shared);  // <- caught: release-for-warpgroup
      isa::wait(shared.full, 1, {"producer", "full", 0});
    }
  }
};

/// Rows that each warp writes for itself, with a shuffle where a synchronisation is due.
struct MultiplyTooEarly : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "multiply-too-early",
      .seen = {.rule = "multiply-too-early", .role = "consumer", .other = "consumer"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    isa::syncthreads();
    const auto thread = static_cast<int>(isa::thread_index());
    const int row = thread / 32 * 16 + thread % 16;
    const int column = thread / 16 % 2 * 8;
    for (int i = 0; i < 8; ++i) {
      shared.a.store(row, column + i, __float2half(1));  // <- other: multiply-too-early
    }
    isa::fence_proxy_async_shared();
    if constexpr (Faulty) {
      isa::shuffle(1, 0);
    } else {
      isa::syncwarp();
    }
    float sums[columns / 2];
    isa::wgmma_fence();
    multiply(shared, sums);  // <- caught: multiply-too-early
    finish();
    keep(args, sums);
  }
};

/// Ordinary writes to an operand, synchronised, but without a proxy fence.
struct ProxyFenceBeforeMultiply : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "proxy-fence-before-multiply",
      .seen = {.rule = "proxy-fence-after-write", .role = "consumer", .other = "consumer"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    isa::syncthreads();
    if (isa::thread_index() < 64) {
      const auto row = static_cast<int>(isa::thread_index());
      shared.a.store(row, 5, __float2half(1));  // <- other: proxy-fence-before-multiply
    }
    if constexpr (!Faulty) {
      isa::fence_proxy_async_shared();
    }
    isa::syncthreads();
    float sums[columns / 2];
    isa::wgmma_fence();
    multiply(shared, sums);  // <- caught: proxy-fence-before-multiply
    finish();
    keep(args, sums);
  }
};

struct MultiplyAtExit : MultiplyFault {
  static constexpr FaultInfo info{.name = "multiply-at-exit",
                                  .seen = {.rule = "copy-at-exit", .role = "consumer"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    float sums[columns / 2];
    isa::wgmma_fence();
    multiply(shared, sums);  // <- caught: multiply-at-exit
    isa::wgmma_commit_group();
    if constexpr (!Faulty) {
      isa::wgmma_wait_group<0>();
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
