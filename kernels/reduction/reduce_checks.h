// What reductions refuse, with one Error that names operand, value and rule.
#pragma once

#include <string>

#include "reduction/reduce.h"
#include "reduction/reduce_arguments.h"

namespace warpline::reduction {

[[noreturn]] void refuse(const char* call, const std::string& what);

/// Rows of a matrix, and one result for each.
void check(const char* call, const MutableMatrix& out, const Matrix& x);
/// Any view, and a result for each of outer x inner.
void check(const char* call, const MutableMatrix& out, const ReduceView& x);

/// Types and addresses of either. `index_bytes`: of the indices of argmax, or 0.
struct Memory {
  const void* x;
  ElementType x_type;
  void* out;
  /// Bytes of a result.
  int out_bytes;
  const char* out_name;
  const ReduceExtents* extents;
};
void check_memory(const char* call, const Memory& memory);

/// Sums and norms of these types can be stored as those.
void check_types(const char* call, ElementType x, ElementType out, ReduceKind kind);

}  // namespace warpline::reduction
