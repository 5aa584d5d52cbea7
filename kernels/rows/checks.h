// What calls on rows refuse, with one Error that names operand, value and rule.
#pragma once

#include <vector>

#include "rows/plan.h"

namespace warpline::rows {

/// Extents, strides, types' alignment, addresses.
void check(const char* call, const std::vector<Operand>& operands);

/// Whether every row of every operand begins and ends on the line's accesses: as many elements as
/// 16 bytes of the input have.
bool fall_on_accesses(const std::vector<Operand>& operands);

/// A written operand may be a streamed one, the same rows in the same place, if all is `aligned`:
/// copies of rows that are not read their neighbours, too. Nothing else may overlap what is
/// written.
void check_overlaps(const char* call, const std::vector<Operand>& operands, bool aligned);

}  // namespace warpline::rows
