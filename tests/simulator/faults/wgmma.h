// Faults in the instructions of a multiply: who issues it, its registers, its descriptors.
#pragma once

#include "tests/simulator/faults/multiplies.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct AccumulatorWritten : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "accumulator-written",
      .seen = {.rule = "accumulator-in-flight", .role = "consumer", .other = "consumer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    float sums[columns / 2];
    // [accumulator_written]
    isa::wgmma_fence();
    multiply(shared, sums);  // <- other: accumulator-written
    isa::wgmma_commit_group();
    if constexpr (Faulty) {
      sums[0] = static_cast<float>(args.one);
    }
    isa::wgmma_wait_group<0>();  // <- caught: accumulator-written
    // [accumulator_written]
    keep(args, sums);
  }
};

/// A typed accumulator read before its token was waited for.
struct AccumulatorRead : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "accumulator-read",
      .seen = {.rule = "accumulator-in-flight", .role = "consumer", .other = "consumer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    Accumulator<64, columns> sums;
    const auto multiplied = mma(sums, shared.a, shared.b);  // <- other: accumulator-read
    if constexpr (!Faulty) {
      multiplied.wait();
    }
    const float first = sums.value(0, 0);  // <- caught: accumulator-read
    multiplied.wait();
    isa::store_global(&args.out[isa::thread_index()], static_cast<int32_t>(first));
  }
};

struct OperandRegisterInFlight : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "operand-register-in-flight",
      .seen = {.rule = "operand-register-in-flight", .role = "consumer", .other = "consumer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    float sums[columns / 2];
    const auto b = operand<isa::Major::k>(shared.b).at(0, 0);
    const uint32_t ones = 0x3c003c00u * static_cast<uint32_t>(args.one);
    uint32_t a[4] = {ones, ones, ones, ones};
    isa::wgmma_fence();
    issue(sums, a, b);  // <- other: operand-register-in-flight
    isa::wgmma_commit_group();
    if constexpr (Faulty) {
      a[3] = static_cast<uint32_t>(args.one);
    }
    isa::wgmma_wait_group<0>();  // <- caught: operand-register-in-flight
    isa::store_global(&args.out[1024 + isa::thread_index()], static_cast<int32_t>(a[3]));
    keep(args, sums);
  }
  static WARPLINE_DEVICE void issue(float (&sums)[columns / 2], const uint32_t (&a)[4],
                                    isa::MatrixDescriptor b,
                                    SourceLine where = SourceLine::current()) {
    isa::wgmma_register_a<columns, isa::WgmmaOptions{}>(sums, a, b, false, where);
  }
};

struct WgmmaFenceMissing : MultiplyFault {
  static constexpr FaultInfo info{.name = "wgmma-fence-missing",
                                  .seen = {.rule = "wgmma-fence-missing", .role = "consumer"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    // [wgmma_fence_missing]
    float sums[columns / 2] = {};
    if constexpr (!Faulty) {
      isa::wgmma_fence();
    }
    multiply(shared, sums, true);  // <- caught: wgmma-fence-missing
    // [wgmma_fence_missing]
    finish();
    keep(args, sums);
  }
};

/// Multiplies of two shapes on the same registers, without a wait between them.
struct AccumulatorShape : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "accumulator-shape",
      .seen = {.rule = "accumulator-shape", .role = "consumer", .other = "consumer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    float wide[8];
    auto& narrow = reinterpret_cast<float(&)[4]>(wide);
    isa::wgmma_fence();
    multiply(shared, narrow);  // <- other: accumulator-shape
    if constexpr (Faulty) {
      multiply_wide(shared, wide);  // <- caught: accumulator-shape
    }
    finish();
    keep(args, narrow);
  }
  /// 16 columns, the first 16 rows of A.
  static WARPLINE_DEVICE void multiply_wide(Shared& shared, float (&sums)[8],
                                            SourceLine where = SourceLine::current()) {
    const auto a = operand<isa::Major::k>(shared.a).at(0, 0);
    isa::wgmma<16, isa::WgmmaOptions{}>(sums, a, a, false, where);
  }
};

/// Threads of one warpgroup that ask for different multiplies.
struct WarpgroupDisagrees : MultiplyFault {
  static constexpr FaultInfo info{.name = "warpgroup-disagrees",
                                  .seen = {.rule = "warpgroup-disagrees",
                                           .role = "consumer",
                                           .at = "warpgroup-disagrees",
                                           .other = "consumer",
                                           .other_at = "warpgroup-disagrees"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    float sums[columns / 2] = {};
    const bool accumulate = Faulty && isa::thread_index() >= 96;
    isa::wgmma_fence();
    multiply(shared, sums, accumulate);  // <- warpgroup-disagrees
    finish();
    keep(args, sums);
  }
};

/// One of the four warps does not come.
struct WarpgroupNotConverged : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "warpgroup-not-converged",
      .seen = {.rule = "warpgroup-not-converged", .role = "consumer", .other = "consumer"},
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    if (!Faulty || isa::thread_index() < 96) {
      float sums[columns / 2];
      isa::wgmma_fence();
      multiply(shared, sums);  // <- other: warpgroup-not-converged
      isa::wgmma_commit_group();
      isa::wgmma_wait_group<0>();  // <- caught: warpgroup-not-converged
      keep(args, sums);
    }
  }
};

/// A fifth warp multiplies alone.
struct WarpgroupAlignment : FaultBody<5> {
  using Base = MultiplyFault;
  static constexpr FaultInfo info{.name = "warpgroup-alignment",
                                  .seen = {.rule = "warpgroup-alignment", .role = "consumer"},
                                  .file = __FILE__};
  using Shared = Base::Shared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    Base::fill(args, shared);
    if (Faulty ? isa::thread_index() >= 128 : isa::thread_index() < 128) {
      float sums[Base::columns / 2];
      isa::wgmma_fence();  // <- caught: warpgroup-alignment
      Base::multiply(shared, sums);
      Base::finish();
      Base::keep(args, sums);
    }
  }
};

/// A tile is loaded with one swizzle and multiplied with another.
struct OperandSwizzle : MultiplyFault {
  static constexpr FaultInfo info{
      .name = "operand-swizzle",
      .seen = {.rule = "operand-swizzle", .role = "consumer", .other = ""},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);  // <- other: operand-swizzle
    using Read = SharedTile<__half, 64, 16, Faulty ? Swizzle::none : Swizzle::span_32>;
    const auto& tile = reinterpret_cast<const Read&>(shared.a);
    const auto a = operand<isa::Major::k>(tile).at(0, 0);
    const auto b = operand<isa::Major::k>(shared.b).at(0, 0);
    float sums[columns / 2];
    isa::wgmma_fence();
    issue(sums, a, b);  // <- caught: operand-swizzle
    finish();
    keep(args, sums);
  }
  static WARPLINE_DEVICE void issue(float (&sums)[columns / 2], isa::MatrixDescriptor a,
                                    isa::MatrixDescriptor b,
                                    SourceLine where = SourceLine::current()) {
    isa::wgmma<columns, isa::WgmmaOptions{}>(sums, a, b, false, where);
  }
};

/// A descriptor whose offsets leave the stage.
struct OperandOutsideStage : MultiplyFault {
  static constexpr FaultInfo info{.name = "operand-outside-stage",
                                  .seen = {.rule = "operand-outside-stage", .role = "consumer"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    fill(args, shared);
    const auto a = operand<isa::Major::k>(shared.a).at(0, 0).advanced(Faulty ? 512 : 0);
    const auto b = operand<isa::Major::k>(shared.b).at(0, 0);
    float sums[columns / 2];
    isa::wgmma_fence();
    OperandSwizzle::issue(sums, a, b);  // <- caught: operand-outside-stage
    finish();
    keep(args, sums);
  }
};

/// A slice of a tile that starts where its swizzle's pattern does not.
struct OperandSlice : FaultBody<4> {
  using Base = MultiplyFault;
  static constexpr FaultInfo info{.name = "operand-slice",
                                  .seen = {.rule = "operand-slice", .role = "consumer"},
                                  .file = __FILE__};
  using Shared = Base::Shared;
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    Base::fill(args, shared);
    const int first = args.one * (Faulty ? 4 : 8);
    Accumulator<64, Base::columns> sums;
    const auto rows = shared.a.template row_slice<8>(first);  // <- caught: operand-slice
    const auto multiplied = mma(sums, shared.a, rows);
    multiplied.wait();
    isa::store_global(&args.out[isa::thread_index()], static_cast<int32_t>(sums.value(0, 0)));
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
