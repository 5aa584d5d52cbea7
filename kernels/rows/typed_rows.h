// Rows in global memory whose element type is known at run time, as kernels take them. Knows
// neither target.
#pragma once

#include "tensor/matrix.h"

namespace warpline {

struct TypedRows {
  void* data = nullptr;
  /// Elements from row to row.
  std::int64_t stride = 0;
  ElementType type = ElementType::fp32;
};

}  // namespace warpline
