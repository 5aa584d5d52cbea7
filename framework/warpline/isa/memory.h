// Ordinary loads and stores of kernels. On the GPU they are plain dereferences; the simulator sees
// them, so that it can tell an ordinary write from the copy engine's, and check bounds, alignment.
#pragma once

#include "warpline/bits.h"
#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

template <class T>
WARPLINE_DEVICE T load_shared(const T& place, SourceLine where = SourceLine::current()) {
  at_line(where);
#if !WARPLINE_ON_GPU
  simulator::shared_read(&place, sizeof(T), alignof(T));
#endif
  return place;
}

template <class T>
WARPLINE_DEVICE void store_shared(T& place, const T& value,
                                  SourceLine where = SourceLine::current()) {
  at_line(where);
#if !WARPLINE_ON_GPU
  simulator::shared_write(&place, sizeof(T), alignof(T));
#endif
  place = value;
}

template <class T>
WARPLINE_DEVICE T load_global(const T* place, SourceLine where = SourceLine::current()) {
  at_line(where);
#if !WARPLINE_ON_GPU
  simulator::global_read(place, sizeof(T), alignof(T));
#endif
  return *place;
}

template <class T>
WARPLINE_DEVICE void store_global(T* place, const T& value,
                                  SourceLine where = SourceLine::current()) {
  at_line(where);
#if !WARPLINE_ON_GPU
  simulator::global_write(place, sizeof(T), alignof(T));
#endif
  *place = value;
}

/// For what nobody reads soon: the caches give its lines up first (PTX ISA, "Cache Operators":
/// st.cs). 2, 4, 8 or 16 bytes.
template <class T>
WARPLINE_DEVICE void store_global_streaming(T* place, const T& value,
                                            SourceLine where = SourceLine::current()) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                sizeof(T) == 16);
  static_assert(alignof(T) == sizeof(T), "it is one access: make the type alignas its size");
#if WARPLINE_ON_GPU
  (void)where;
  if constexpr (sizeof(T) == 1) {
    __stcs(reinterpret_cast<unsigned char*>(place), bits_as<unsigned char>(value));
  } else if constexpr (sizeof(T) == 2) {
    __stcs(reinterpret_cast<unsigned short*>(place), bits_as<unsigned short>(value));
  } else if constexpr (sizeof(T) == 4) {
    __stcs(reinterpret_cast<unsigned int*>(place), bits_as<unsigned int>(value));
  } else if constexpr (sizeof(T) == 8) {
    __stcs(reinterpret_cast<uint2*>(place), bits_as<uint2>(value));
  } else {
    __stcs(reinterpret_cast<uint4*>(place), bits_as<uint4>(value));
  }
#else
  store_global(place, value, where);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
