// Storing 8x8 matrices of 16-bit elements from a warp's registers (PTX ISA, "stmatrix").
#pragma once

#include "warpline/isa/shared_address.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Stores `Matrices` (1, 2, 4) 8x8 matrices. Lane 8i+r gives in `row` the 16-byte address of row r
/// of matrix i; lane l holds elements 2(l%4), 2(l%4)+1 of row l/4 of matrix i in fragment[i].
/// `Transposed`: columns for rows.
template <int Matrices, bool Transposed = false>
WARPLINE_DEVICE void stmatrix(void* row, const uint32_t (&fragment)[Matrices],
                              SourceLine where = SourceLine::current()) {
  at_line(where);
  static_assert(Matrices == 1 || Matrices == 2 || Matrices == 4,
                "stmatrix stores 1, 2 or 4 matrices");
#if WARPLINE_ON_GPU
  const auto address = shared_address(row);
  if constexpr (Matrices == 1 && !Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address),
                 "r"(fragment[0])
                 : "memory");
  } else if constexpr (Matrices == 1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(address),
                 "r"(fragment[0])
                 : "memory");
  } else if constexpr (Matrices == 2 && !Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address),
                 "r"(fragment[0]), "r"(fragment[1])
                 : "memory");
  } else if constexpr (Matrices == 2) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address),
                 "r"(fragment[0]), "r"(fragment[1])
                 : "memory");
  } else if constexpr (!Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                 "r"(fragment[0]), "r"(fragment[1]), "r"(fragment[2]), "r"(fragment[3])
                 : "memory");
  } else {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
        "r"(fragment[0]), "r"(fragment[1]), "r"(fragment[2]), "r"(fragment[3])
        : "memory");
  }
#else
  simulator::stmatrix(row, fragment, Matrices, Transposed);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
