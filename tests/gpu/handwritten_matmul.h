// The warp-specialised matmul once more, by hand: raw PTX, no framework. It is what the framework's
// kernel is measured against (samples and docs/measurements.md): if this one were faster, the
// abstractions would cost something.
//
// Same algorithm and tile (128 x 128 x 64, one consumer warpgroup, one producer warp), tuned as
// hard as we could: stage indices are constants (loops unrolled by the stages), one arrival per
// consumer warp frees a stage, the accumulators' first multiply overwrites, and stores are
// exchanged within quads so that each lane writes 16 bytes.
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace handwritten {

constexpr int block_m = 128;
constexpr int block_n = 128;
constexpr int block_k = 64;
constexpr int tile_bytes = 128 * 64 * 2;
constexpr int threads = 160;

template <int Stages>
constexpr int shared_bytes = Stages * 2 * tile_bytes + 1024;

// clang-format off
#define HW_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define HW_D16(i) HW_D4(i), HW_D4(i + 4), HW_D4(i + 8), HW_D4(i + 12)
// clang-format on

/// d (+)= A[64,16] * B[128,16]^T, both K-major with 128-byte swizzle.
__device__ __forceinline__ void wgmma_m64n128k16(float (&d)[64], uint64_t a, uint64_t b,
                                                 int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;\n}"
      : HW_D16(0), HW_D16(16), HW_D16(32), HW_D16(48)
      : "l"(a), "l"(b), "r"(accumulate)
      : "memory");
}

__device__ __forceinline__ void hold(float (&d)[64]) {
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    asm volatile("" : "+f"(d[i])::"memory");
  }
}

__device__ __forceinline__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred p;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra.uni DONE;\n"
      "bra.uni AGAIN;\n"
      "DONE:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ __forceinline__ void load(uint32_t shared, const CUtensorMap& map, int column, int row,
                                     uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3}], [%4];" ::"r"(shared),
      "l"(&map), "r"(column), "r"(row), "r"(barrier)
      : "memory");
}

__device__ __forceinline__ uint64_t descriptor(uint32_t address) {
  return static_cast<uint64_t>((address & 0x3ffff) >> 4) +
         (uint64_t{1} << 16 | uint64_t{64} << 32 | uint64_t{1} << 62);
}

template <int Stages>
__global__ void __launch_bounds__(threads, Stages <= 3 ? 2 : 1)
    matmul(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c,
           int m, int n, int k, int64_t stride) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
  const auto stage_a = [&](int s) { return base + s * 2 * tile_bytes; };
  const auto stage_b = [&](int s) { return base + s * 2 * tile_bytes + tile_bytes; };
  const uint32_t barriers = base + Stages * 2 * tile_bytes;
  const auto full = [&](int s) { return barriers + s * 8; };
  const auto empty = [&](int s) { return barriers + (Stages + s) * 8; };
  const int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full(s)) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" ::"r"(empty(s)) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  uint32_t elected;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.b32 %0, 1, 0, p;\n}"
               : "=r"(elected));
  const int k_tiles = (k + block_k - 1) / block_k;
  const int m_begin = static_cast<int>(blockIdx.x) * block_m;
  const int n_begin = static_cast<int>(blockIdx.y) * block_n;
  if (warp == 4) {
    uint32_t parity = 1;
    const auto fill = [&](int s, int tile) {
      wait(empty(s), parity);
      __syncwarp();  // no lane may fall two turns behind the one that loads
      if (elected != 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full(s)),
                     "r"(2 * tile_bytes)
                     : "memory");
        load(stage_a(s), a, tile * block_k, m_begin, full(s));
        load(stage_b(s), b, tile * block_k, n_begin, full(s));
      }
    };
    int tile = 0;
#pragma unroll 1
    for (; tile + Stages <= k_tiles; tile += Stages) {
#pragma unroll
      for (int s = 0; s < Stages; ++s) {
        fill(s, tile + s);
      }
      parity ^= 1;
    }
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) {
      if (tile + s < k_tiles) {
        fill(s, tile + s);
      }
    }
    // Drain: stages filled in the broken turn are awaited one parity later than the others.
    const int rest = k_tiles % Stages;
    for (int s = 0; s < Stages; ++s) {
      wait(empty(s), s < rest ? parity ^ 1 : parity);
    }
    return;
  }
  float d[2][64];
  uint32_t parity = 0;
  int accumulate = 0;
  const uint64_t first_a = descriptor(stage_a(0));
  const auto multiply = [&](int s) {
    wait(full(s), parity);
    hold(d[0]);
    hold(d[1]);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    const uint64_t da = first_a + s * (2 * tile_bytes / 16);
    const uint64_t db = da + tile_bytes / 16;
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      wgmma_m64n128k16(d[0], da + step * 2, db + step * 2, step > 0 ? 1 : accumulate);
      wgmma_m64n128k16(d[1], da + step * 2 + 64 * 128 / 16, db + step * 2,
                       step > 0 ? 1 : accumulate);
    }
    accumulate = 1;
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    hold(d[0]);
    hold(d[1]);
    if (elected != 0) {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty(s)) : "memory");
    }
  };
  int tile = 0;
#pragma unroll 1
  for (; tile + Stages <= k_tiles; tile += Stages) {
#pragma unroll
    for (int s = 0; s < Stages; ++s) {
      multiply(s);
    }
    parity ^= 1;
  }
#pragma unroll
  for (int s = 0; s < Stages - 1; ++s) {
    if (tile + s < k_tiles) {
      multiply(s);
    }
  }
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t quad_lane = lane % 4;
#pragma unroll
  for (int block = 0; block < 2; ++block) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t row = m_begin + block * 64 + warp * 16 + half * 8 + lane / 4;
#pragma unroll
      for (int j = 0; j < 16; j += 4) {
        uint32_t words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const __half2 pair = __floats2half2_rn(d[block][(j + i) * 4 + half * 2],
                                                 d[block][(j + i) * 4 + half * 2 + 1]);
          words[i] = *reinterpret_cast<const uint32_t*>(&pair);
        }
#pragma unroll
        for (uint32_t bit = 1; bit <= 2; bit <<= 1) {
          const bool upper = (lane & bit) != 0;
#pragma unroll
          for (uint32_t i = 0; i < 4; ++i) {
            if ((i & bit) == 0) {
              const uint32_t taken =
                  __shfl_xor_sync(0xffffffffu, upper ? words[i] : words[i | bit], bit);
              (upper ? words[i] : words[i | bit]) = taken;
            }
          }
        }
        const int column = n_begin + (j + static_cast<int>(quad_lane)) * 8;
        if (row < m && column + 8 <= n) {
          *reinterpret_cast<uint4*>(c + row * stride + column) = {words[0], words[1], words[2],
                                                                  words[3]};
        } else if (row < m) {
#pragma unroll
          for (int i = 0; i < 8; ++i) {
            if (column + i < n) {
              c[row * stride + column + i] =
                  __ushort_as_half(static_cast<unsigned short>(words[i / 2] >> (i % 2 * 16)));
            }
          }
        }
      }
    }
  }
}

#undef HW_D16
#undef HW_D4

}  // namespace handwritten
