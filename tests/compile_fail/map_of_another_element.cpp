// expect: the matrix and the tile must have the same element type
//
#include <cuda_fp16.h>

#include "warpline/make_tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Element = __half;
#else
using Element = float;
#endif

inline auto make(const MatrixView<Element>& matrix) {
  return make_tensor_map<SharedTile<__half, 64, 64>>(matrix, "A");
}

}  // namespace warpline::inline WARPLINE_TARGET
