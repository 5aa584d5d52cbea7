// Tiled copies by the copy engine, TMA (PTX ISA, "cp.async.bulk.tensor").
//
// Coordinates are those of the box's first element, innermost dimension first, in elements. The
// innermost one must fall on 16 bytes. A load counts the whole box on its barrier, also where the
// box hangs over the tensor's edge: those elements arrive as zeros. A store clips at
// the far edges, in units of 16 bytes in the innermost dimension; a negative coordinate of a store
// is an illegal instruction (measured).
#pragma once

#include "warpline/isa/mbarrier.h"

#if WARPLINE_ON_GPU
#include "warpline/isa/tensor_copy_ranks.h"
#endif

namespace warpline::inline WARPLINE_TARGET::isa {

/// The 128 opaque bytes that describe a tensor and its box to the copy engine. Pass it in the
/// kernel's Arguments: the copy engine reads it from the constant bank.
struct alignas(64) TensorMapWords {
  uint64_t words[16];
};

/// Fetches the descriptor ahead of its first use. One thread.
WARPLINE_DEVICE void prefetch_tensor_map(const TensorMapWords& map) {
#if WARPLINE_ON_GPU
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#else
  (void)map;
#endif
}

/// Loads one box into this CTA's shared memory and counts its bytes on `barrier`. One thread.
template <int Rank>
WARPLINE_DEVICE void tensor_load(void* shared, const TensorMapWords& map,
                                 const int32_t (&coordinates)[Rank], Mbarrier& barrier,
                                 SourceLine where = SourceLine::current()) {
  at_line(where);
  static_assert(Rank >= 1 && Rank <= 5, "the copy engine knows tensors of 1 to 5 dimensions");
#if WARPLINE_ON_GPU
  tensor_copy_ranks::Copy<Rank>::load(shared_address(shared), &map, shared_address(&barrier),
                                      coordinates);
#else
  simulator::tensor_load(shared, &map, coordinates, Rank, &barrier, 0);
#endif
}

/// Loads one box into the same offset of every CTA whose bit is set in `cta_mask` (bit = rank in
/// the cluster), and counts its bytes on the barrier at the same offset in each of them. One thread
/// of one CTA.
template <int Rank>
WARPLINE_DEVICE void tensor_load_multicast(void* shared, const TensorMapWords& map,
                                           const int32_t (&coordinates)[Rank], Mbarrier& barrier,
                                           uint16_t cta_mask,
                                           SourceLine where = SourceLine::current()) {
  at_line(where);
  static_assert(Rank >= 1 && Rank <= 5, "the copy engine knows tensors of 1 to 5 dimensions");
#if WARPLINE_ON_GPU
  tensor_copy_ranks::Copy<Rank>::load_multicast(shared_address(shared), &map,
                                                shared_address(&barrier), cta_mask, coordinates);
#else
  simulator::tensor_load(shared, &map, coordinates, Rank, &barrier, cta_mask);
#endif
}

/// Stores one box from shared memory; completion is by bulk group (bulk_group.h). One thread.
template <int Rank>
WARPLINE_DEVICE void tensor_store(const TensorMapWords& map, const int32_t (&coordinates)[Rank],
                                  const void* shared, SourceLine where = SourceLine::current()) {
  at_line(where);
  static_assert(Rank >= 1 && Rank <= 5, "the copy engine knows tensors of 1 to 5 dimensions");
#if WARPLINE_ON_GPU
  tensor_copy_ranks::Copy<Rank>::store(&map, coordinates, shared_address(shared));
#else
  simulator::tensor_store(&map, coordinates, Rank, shared);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
