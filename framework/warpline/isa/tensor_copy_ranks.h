// cp.async.bulk.tensor for tensors of 1 to 5 dimensions, as assembler statements. GPU only.
//
// The instruction names its coordinates one by one, so each rank needs its own literals.
#pragma once

#include <cstdint>

#include "warpline/isa/shared_address.h"

namespace warpline::inline WARPLINE_TARGET::isa::tensor_copy_ranks {

/// Statements for `Rank` coordinates; specialised below. Addresses are those of shared_address.h.
template <int Rank>
struct Copy;

// clang-format off

// FROM_2, FROM_3 and FROM_4 name the coordinates where they follow that many operands.
#define WARPLINE_TENSOR_COPY(RANK, FROM_2, FROM_3, FROM_4, ...)                                   \
  template <>                                                                                     \
  struct Copy<RANK> {                                                                             \
    WARPLINE_DEVICE static void load(uint32_t shared, const void* map, uint32_t barrier,          \
                                     const int32_t (&at)[RANK]) {                                 \
      asm volatile("cp.async.bulk.tensor." #RANK                                                  \
                   "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"                   \
                   " [%0], [%1, " FROM_3 "], [%2];"                                               \
                   ::"r"(shared), "l"(map), "r"(barrier), __VA_ARGS__ : "memory");                \
    }                                                                                             \
    WARPLINE_DEVICE static void load_multicast(uint32_t shared, const void* map,                  \
                                               uint32_t barrier, uint16_t cta_mask,               \
                                               const int32_t (&at)[RANK]) {                       \
      asm volatile("cp.async.bulk.tensor." #RANK                                                  \
                   "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"                   \
                   ".multicast::cluster [%0], [%1, " FROM_4 "], [%2], %3;"                        \
                   ::"r"(shared), "l"(map), "r"(barrier), "h"(cta_mask), __VA_ARGS__ : "memory"); \
    }                                                                                             \
    WARPLINE_DEVICE static void store(const void* map, const int32_t (&at)[RANK],                 \
                                      uint32_t shared) {                                          \
      asm volatile("cp.async.bulk.tensor." #RANK "d.global.shared::cta.tile.bulk_group"           \
                   " [%0, " FROM_2 "], [%1];" ::"l"(map), "r"(shared), __VA_ARGS__ : "memory");   \
    }                                                                                             \
  };

WARPLINE_TENSOR_COPY(1, "{%2}", "{%3}", "{%4}", "r"(at[0]))
WARPLINE_TENSOR_COPY(2, "{%2, %3}", "{%3, %4}", "{%4, %5}", "r"(at[0]), "r"(at[1]))
WARPLINE_TENSOR_COPY(3, "{%2, %3, %4}", "{%3, %4, %5}", "{%4, %5, %6}",
                     "r"(at[0]), "r"(at[1]), "r"(at[2]))
WARPLINE_TENSOR_COPY(4, "{%2, %3, %4, %5}", "{%3, %4, %5, %6}", "{%4, %5, %6, %7}",
                     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
WARPLINE_TENSOR_COPY(5, "{%2, %3, %4, %5, %6}", "{%3, %4, %5, %6, %7}", "{%4, %5, %6, %7, %8}",
                     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))

#undef WARPLINE_TENSOR_COPY

// clang-format on

}  // namespace warpline::inline WARPLINE_TARGET::isa::tensor_copy_ranks
