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
  cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, shared, global, bytes,
                           &barrier.word);
#else
  simulator::bulk_load(shared, global, bytes, &barrier);
#endif
}

/// Shared memory to global; completion is by bulk group (bulk_group.h). One thread.
WARPLINE_DEVICE void bulk_store(void* global, const void* shared, uint32_t bytes,
                                SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, global, shared, bytes);
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
  // Written out because cuda::ptx wants generic pointers into the peer's window, which cost two
  // mapa each.
  asm volatile(
      "{\n"
      ".reg .b32 target, bar;\n"
      "mapa.shared::cluster.u32 target, %0, %4;\n"
      "mapa.shared::cluster.u32 bar, %3, %4;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [target], [%1], %2, "
      "[bar];\n"
      "}" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared_target))),
      "r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared))), "r"(bytes),
      "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&barrier.word))), "r"(cta_rank)
      : "memory");
#else
  simulator::bulk_send(shared_target, shared, bytes, &barrier, cta_rank);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
