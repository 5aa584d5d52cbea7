// Warpgroup matrix multiply: D[64,N] (+)= A[64,16] * B[16,N], fp32 accumulators (PTX ISA,
// "wgmma.mma_async").
//
// All four warps of a warpgroup issue it together; it then runs on its own. Between issue and the
// wait that covers it, nobody may touch its accumulators, its A registers or its shared memory.
#pragma once

#include "warpline/isa/matrix_descriptor.h"
#if WARPLINE_ON_GPU
#include "warpline/isa/wgmma_shapes.h"
#endif

namespace warpline::inline WARPLINE_TARGET::isa {

enum class WgmmaType { fp16, bf16 };

/// Which dimension of an operand is contiguous: K, or M (for A) and N (for B).
enum class Major { k, mn };

struct WgmmaOptions {
  WgmmaType type = WgmmaType::fp16;
  Major a = Major::k;
  Major b = Major::k;
  bool negate_a = false;
  bool negate_b = false;
};

/// Lane l of warp w holds, for row half h and column block j, D[16w + 8h + l/4][8j + 2(l%4) + c] in
/// d[4j + 2h + c]. With `accumulate` false the old D is ignored: no zeroing is needed.
template <int N, WgmmaOptions Options>
WARPLINE_DEVICE void wgmma(float (&d)[N / 2], MatrixDescriptor a, MatrixDescriptor b,
                           bool accumulate, SourceLine where = SourceLine::current()) {
  at_line(where);
  static_assert(N >= 8 && N <= 256 && N % 8 == 0,
                "wgmma multiplies N = 8..256 columns in steps of 8");
#if WARPLINE_ON_GPU
  wgmma_shapes::Shape<N>::template from_shared<
      static_cast<int>(Options.type), Options.negate_a ? -1 : 1, Options.negate_b ? -1 : 1,
      static_cast<int>(Options.a), static_cast<int>(Options.b)>(d, a.bits, b.bits,
                                                                accumulate ? 1 : 0);
#else
  simulator::wgmma({.accumulators = d,
                    .a_registers = nullptr,
                    .a_descriptor = a.bits,
                    .b_descriptor = b.bits,
                    .columns = N,
                    .bf16 = Options.type == WgmmaType::bf16,
                    .a_mn_major = Options.a == Major::mn,
                    .b_mn_major = Options.b == Major::mn,
                    .negate_a = Options.negate_a,
                    .negate_b = Options.negate_b,
                    .accumulate = accumulate});
#endif
}

/// As wgmma, with A in registers: lane l of warp w holds, as pairs of 16-bit elements, A[16w +
/// 8(i%2) + l/4] [8(i/2) + 2(l%4) + {0,1}] in a[i].
template <int N, WgmmaOptions Options>
WARPLINE_DEVICE void wgmma_register_a(float (&d)[N / 2], const uint32_t (&a)[4], MatrixDescriptor b,
                                      bool accumulate, SourceLine where = SourceLine::current()) {
  at_line(where);
  static_assert(N >= 8 && N <= 256 && N % 8 == 0,
                "wgmma multiplies N = 8..256 columns in steps of 8");
  static_assert(Options.a == Major::k,
                "A in registers has no other order: leave WgmmaOptions::a at Major::k");
#if WARPLINE_ON_GPU
  wgmma_shapes::Shape<N>::template from_registers<
      static_cast<int>(Options.type), Options.negate_a ? -1 : 1, Options.negate_b ? -1 : 1,
      static_cast<int>(Options.b)>(d, a, b.bits, accumulate ? 1 : 0);
#else
  simulator::wgmma({.accumulators = d,
                    .a_registers = a,
                    .a_descriptor = 0,
                    .b_descriptor = b.bits,
                    .columns = N,
                    .bf16 = Options.type == WgmmaType::bf16,
                    .a_mn_major = false,
                    .b_mn_major = Options.b == Major::mn,
                    .negate_a = Options.negate_a,
                    .negate_b = Options.negate_b,
                    .accumulate = accumulate});
#endif
}

/// Closes a group over the wgmma issued since the last commit.
WARPLINE_DEVICE void wgmma_commit_group(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#else
  simulator::wgmma_commit_group();
#endif
}

/// Waits until all but the latest `Pending` groups are complete. Follow it with hold_registers on
/// the accumulators before reading them.
template <int Pending>
WARPLINE_DEVICE void wgmma_wait_group(SourceLine where = SourceLine::current()) {
  at_line(where);
  static_assert(Pending >= 0 && Pending <= 7, "wgmma.wait_group counts 0..7 pending groups");
#if WARPLINE_ON_GPU
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
#else
  simulator::wgmma_wait_group(Pending);
#endif
}

/// Keeps the compiler from moving uses of these registers across this point: the wgmma statement
/// looks complete to it long before the tensor cores are done.
template <int Count>
WARPLINE_DEVICE void hold_registers(float (&registers)[Count]) {
#if WARPLINE_ON_GPU
  WARPLINE_UNROLL
  for (int i = 0; i < Count; ++i) {
    asm volatile("" : "+f"(registers[i])::"memory");
  }
#else
  (void)registers;
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
