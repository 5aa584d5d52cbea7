// From accumulators to global memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "warpline/bits.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/trace.h"
#include "warpline/isa/warp.h"
#include "warpline/mma.h"
#include "warpline/tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

namespace epilogue_detail {

template <class T>
WARPLINE_DEVICE T rounded(float value);
template <>
WARPLINE_DEVICE __half rounded<__half>(float value) {
  return __float2half_rn(value);
}
template <>
WARPLINE_DEVICE __nv_bfloat16 rounded<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

template <class T>
WARPLINE_DEVICE uint32_t packed(float low, float high) {
  return static_cast<uint32_t>(bits_as<uint16_t>(rounded<T>(low))) |
         static_cast<uint32_t>(bits_as<uint16_t>(rounded<T>(high))) << 16;
}

struct alignas(16) Chunk {
  uint32_t words[4];
};

/// Four lanes hold word q of four chunks each; afterwards lane q holds all of chunk q. Two rounds
/// of exchanges.
WARPLINE_DEVICE void transpose_quad(uint32_t (&words)[4], uint32_t lane) {
  WARPLINE_UNROLL
  for (uint32_t bit = 1; bit <= 2; bit <<= 1) {
    const bool upper = (lane & bit) != 0;
    WARPLINE_UNROLL
    for (uint32_t i = 0; i < 4; ++i) {
      if ((i & bit) == 0) {
        const uint32_t given = upper ? words[i] : words[i | bit];
        const uint32_t taken = isa::shuffle_xor(given, bit, SourceLine::inherited());
        (upper ? words[i] : words[i | bit]) = taken;
      }
    }
  }
}

}  // namespace epilogue_detail

/// Rounds the accumulator of one warpgroup to T (16-bit) and stores it to the rows and columns of
/// `matrix` from (row, column) on; what falls outside the matrix is dropped, and no other byte is
/// written. `column` is a multiple of 8; `rank` is the thread's index in its warpgroup. Where
/// address and stride fall on 16 bytes, four lanes exchange what they hold so that each writes 16
/// bytes of a row, and a warp's store fills whole 32-byte sectors.
template <class T, int M, int N>
WARPLINE_DEVICE void store(const Accumulator<M, N>& accumulator, const MatrixView<T>& matrix,
                           int64_t row, int64_t column, uint32_t rank,
                           SourceLine where = SourceLine::current()) {
  using namespace epilogue_detail;  // NOLINT(google-build-using-namespace): function scope
  static_assert(sizeof(T) == 2, "this store rounds to a 16-bit type");
  const isa::TraceTime begin = isa::trace_now();
  const uint32_t lane = rank % 32;
  const uint32_t quad_lane = lane % 4;
  const bool wide = ((reinterpret_cast<uintptr_t>(matrix.data) |
                      static_cast<uint64_t>(matrix.stride) * sizeof(T)) &
                     15) == 0;
  WARPLINE_UNROLL
  for (int block = 0; block < M / 64; ++block) {
    WARPLINE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int64_t r = row + block * 64 + rank / 32 * 16 + half * 8 + lane / 4;
      T* const line = matrix.data + r * matrix.stride;
      WARPLINE_UNROLL
      for (int j = 0; j < N / 8; j += 4) {
        // Columns 8(j+q) .. 8(j+q)+7 for quad lane q.
        uint32_t words[4];
        WARPLINE_UNROLL
        for (int i = 0; i < 4; ++i) {
          words[i] = j + i < N / 8
                         ? packed<T>(accumulator.value(block, (j + i) * 4 + half * 2, where),
                                     accumulator.value(block, (j + i) * 4 + half * 2 + 1, where))
                         : 0;
        }
        transpose_quad(words, quad_lane);
        const int64_t c = column + (j + static_cast<int>(quad_lane)) * 8;
        if (r >= matrix.rows || j + static_cast<int>(quad_lane) >= N / 8) {
          continue;
        }
        if (wide && c + 8 <= matrix.columns) {
          isa::store_global(reinterpret_cast<Chunk*>(line + c),
                            Chunk{{words[0], words[1], words[2], words[3]}}, where);
        } else {
          WARPLINE_UNROLL
          for (int i = 0; i < 8; ++i) {
            if (c + i < matrix.columns) {
              isa::store_global(line + c + i,
                                bits_as<T>(static_cast<uint16_t>(words[i / 2] >> (i % 2 * 16))),
                                where);
            }
          }
        }
      }
    }
  }
  isa::trace_span(isa::TraceKind::epilogue, {"store"}, begin);
}

}  // namespace warpline::inline WARPLINE_TARGET
