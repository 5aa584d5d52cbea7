// Loading 8x8 matrices of 16-bit elements into a warp's registers (PTX ISA, "ldmatrix").
#pragma once

#include "warpline/isa/shared_address.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Loads four 8x8 matrices. Lane 8i+r gives in `row` the 16-byte address of row r of matrix i; lane
/// l receives elements 2(l%4), 2(l%4)+1 of row l/4 of matrix i in fragment[i].
WARPLINE_DEVICE void ldmatrix(const void* row, uint32_t (&fragment)[4],
                              SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(shared_address(row))
               : "memory");
#else
  simulator::ldmatrix(row, fragment, 4);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
