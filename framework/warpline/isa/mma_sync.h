// The warp's own matrix multiply, registers in and out (PTX ISA, "mma.sync.m16n8k16").
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// d[16,8] += A[16,16] * B[16,8], T being __half or __nv_bfloat16, with fp32 sums. Lane l holds
/// A[8(i%2) + l/4][8(i/2) + 2(l%4) + {0,1}] in a[i], B[8i + 2(l%4) + {0,1}][l/4] in b[i], and
/// d[8(i/2) + l/4][2(l%4) + i%2] in d[i].
template <class T>
WARPLINE_DEVICE void mma_sync(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                              SourceLine where = SourceLine::current()) {
  constexpr bool bf16 = std::is_same_v<T, __nv_bfloat16>;
  static_assert(bf16 || std::is_same_v<T, __half>, "mma_sync multiplies __half or __nv_bfloat16");
  at_line(where);
#if WARPLINE_ON_GPU
  if constexpr (bf16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#else
  simulator::mma_sync(d, a, b, bf16);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
