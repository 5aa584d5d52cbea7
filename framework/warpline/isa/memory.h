// Ordinary loads and stores of kernels. On the GPU they are plain dereferences; the simulator sees
// them, so that it can tell an ordinary write from the copy engine's and check bounds.
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

template <class T>
WARPLINE_DEVICE T load_shared(const T& place, SourceLine where = SourceLine::current()) {
  at_line(where);
#if !WARPLINE_ON_GPU
  simulator::shared_read(&place, sizeof(T));
#endif
  return place;
}

template <class T>
WARPLINE_DEVICE void store_shared(T& place, const T& value,
                                  SourceLine where = SourceLine::current()) {
  at_line(where);
#if !WARPLINE_ON_GPU
  simulator::shared_write(&place, sizeof(T));
#endif
  place = value;
}

template <class T>
WARPLINE_DEVICE T load_global(const T* place, SourceLine where = SourceLine::current()) {
  at_line(where);
#if !WARPLINE_ON_GPU
  simulator::global_read(place, sizeof(T));
#endif
  return *place;
}

template <class T>
WARPLINE_DEVICE void store_global(T* place, const T& value,
                                  SourceLine where = SourceLine::current()) {
  at_line(where);
#if !WARPLINE_ON_GPU
  simulator::global_write(place, sizeof(T));
#endif
  *place = value;
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
