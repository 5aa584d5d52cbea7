#include "samples/rows_bench/operations.h"

#include "normalization/norm.h"
#include "softmax/softmax.h"

namespace sample::rows {

warpline::PreparedRows prepare(const std::string& operation, const warpline::Place& place,
                               const warpline::MutableMatrix& y, const warpline::Matrix& x,
                               const void* weights) {
  const warpline::Matrix weight(weights, warpline::ElementType::bf16, 1, x.columns, x.columns);
  if (operation == "softmax") {
    return warpline::softmax_plan(place, y, x);
  }
  if (operation == "rms_norm") {
    return warpline::rms_norm_plan(place, y, x, {.weight = weight});
  }
  return warpline::layer_norm_plan(place, y, x, {.weight = weight, .bias = weight});
}

}  // namespace sample::rows
