// Stores into the shared memory of another CTA of the cluster, counted on a barrier there (PTX ISA,
// "st.async"; "Distributed shared memory").
#pragma once

#include "warpline/bits.h"
#include "warpline/isa/mbarrier.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// `value` to the place at `target`'s offset in the shared memory of CTA `cta_rank` (perhaps this
/// one); its 4, 8 or 16 bytes are counted on the barrier at `barrier`'s offset there. Whoever waits
/// for that barrier's phase sees the value, and what this thread knew when it stored. A write of
/// the generic proxy: no proxy fence is due, neither before nor after.
template <class T>
WARPLINE_DEVICE void store_async(T& target, const T& value, Mbarrier& barrier, uint32_t cta_rank,
                                 SourceLine where = SourceLine::current()) {
  constexpr auto bytes = sizeof(T);
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "st.async stores 4, 8 or 16 bytes");
  static_assert(alignof(T) == bytes, "st.async stores to aligned places");
  at_line(where);
#if WARPLINE_ON_GPU
  struct Words {
    uint32_t word[sizeof(T) / 4];
  };
  const auto words = bits_as<Words>(value);
  uint32_t place;
  uint32_t counted;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(place)
      : "r"(shared_address(&target)), "r"(cta_rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(counted)
      : "r"(shared_address(&barrier)), "r"(cta_rank));
  if constexpr (sizeof(T) == 4) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
            place),
        "r"(words.word[0]), "r"(counted)
        : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, "
        "[%3];" ::"r"(place),
        "r"(words.word[0]), "r"(words.word[1]), "r"(counted)
        : "memory");
  } else {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
        "[%5];" ::"r"(place),
        "r"(words.word[0]), "r"(words.word[1]), "r"(words.word[2]), "r"(words.word[3]), "r"(counted)
        : "memory");
  }
#else
  simulator::store_async(&target, &value, sizeof(T), &barrier, cta_rank);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
