// Copies of contiguous bytes by the copy engine (PTX ISA, "cp.async.bulk").
// Both addresses fall on 16 bytes and `bytes` is a multiple of 16.
#pragma once

#include "warpline/isa/mbarrier.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Global to this CTA's shared memory; the bytes are counted on `barrier`. One thread.
WARPLINE_DEVICE void bulk_load(void* shared, const void* global, uint32_t bytes, Mbarrier& barrier,
                               SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(&barrier))
      : "memory");
#else
  simulator::bulk_load(shared, global, bytes, &barrier);
#endif
}

/// Shared memory to global; completion is by bulk group (bulk_group.h). One thread.
WARPLINE_DEVICE void bulk_store(void* global, const void* shared, uint32_t bytes,
                                SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(global)),
               "r"(shared_address(shared)), "r"(bytes)
               : "memory");
#else
  simulator::bulk_store(global, shared, bytes);
#endif
}

/// This CTA's shared memory to the same cluster's CTA `cta_rank`: `shared_target` and `barrier` are
/// named by this CTA's addresses of the same offset; the bytes are counted on the target CTA's
/// barrier. One thread.
WARPLINE_DEVICE void bulk_send(void* shared_target, const void* shared, uint32_t bytes,
                               Mbarrier& barrier, uint32_t cta_rank,
                               SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile(
      "{\n"
      ".reg .b32 target, bar;\n"
      "mapa.shared::cluster.u32 target, %0, %4;\n"
      "mapa.shared::cluster.u32 bar, %3, %4;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [target], [%1], %2, "
      "[bar];\n"
      "}" ::"r"(shared_address(shared_target)),
      "r"(shared_address(shared)), "r"(bytes), "r"(shared_address(&barrier)), "r"(cta_rank)
      : "memory");
#else
  simulator::bulk_send(shared_target, shared, bytes, &barrier, cta_rank);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
