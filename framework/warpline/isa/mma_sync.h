// The warp's own matrix multiply, registers in and out (PTX ISA, "mma.sync.m16n8k16").
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// d[16,8] += A[16,16] * B[16,8] in fp16 with fp32 sums. Lane l holds A[8(i%2) + l/4][8(i/2) +
/// 2(l%4) + {0,1}] in a[i], B[8i + 2(l%4) + {0,1}][l/4] in b[i], and d[8(i/2) + l/4][2(l%4) + i%2]
/// in d[i].
WARPLINE_DEVICE void mma_sync_fp16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                   SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  simulator::mma_sync_fp16(d, a, b);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
