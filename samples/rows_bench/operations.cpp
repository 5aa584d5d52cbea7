#include "samples/rows_bench/operations.h"

#include "normalization/norm.h"
#include "normalization/norm_backward.h"
#include "reduction/reduce.h"
#include "softmax/cross_entropy.h"
#include "softmax/softmax.h"

namespace sample::rows {

namespace {

template <class Plan>
Prepared prepared(const Plan& plan) {
  return {plan, plan.choice()};
}

}  // namespace

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names = {"softmax",
                                                 "softmax_backward",
                                                 "cross_entropy",
                                                 "cross_entropy_backward",
                                                 "rms_norm",
                                                 "rms_norm_backward",
                                                 "layer_norm",
                                                 "layer_norm_backward",
                                                 "rms_norm_fp8",
                                                 "sum",
                                                 "argmax",
                                                 "columns",
                                                 "log_softmax_backward"};
  return names;
}

Traffic traffic_of(const std::string& operation) {
  if (operation == "softmax_backward" || operation == "log_softmax_backward") {
    return {.reads = 2};
  }
  if (operation == "rms_norm_backward") {
    return {.reads = 2, .per_row = 4};
  }
  if (operation == "layer_norm_backward") {
    return {.reads = 2, .per_row = 2 * 4};
  }
  if (operation == "rms_norm_fp8") {
    return {.writes = 0.5, .per_row = 4};
  }
  if (operation == "cross_entropy") {
    return {.writes = 0, .per_row = 8 + 2 * 4};
  }
  if (operation == "cross_entropy_backward") {
    return {.per_row = 8 + 2 * 4};
  }
  return {};
}

Prepared prepare(const std::string& operation, const warpline::Place& place,
                 const Operands& operands) {
  const auto& [x, second, y, weight, numbers, dweight, dbias] = operands;
  if (operation == "sum") {
    return prepared(warpline::reduce_plan(place, y, x));
  }
  if (operation == "argmax") {
    return prepared(warpline::argmax_plan(place, numbers.targets, x));
  }
  if (operation == "columns") {
    return prepared(warpline::reduce_plan(place, y, warpline::ReduceView::columns_of(x)));
  }
  if (operation == "softmax") {
    return prepared(warpline::softmax_plan(place, y, x));
  }
  if (operation == "softmax_backward" || operation == "log_softmax_backward") {
    return prepared(warpline::softmax_backward_plan(
        place, y, x, second, {.logarithm = operation == "log_softmax_backward"}));
  }
  if (operation == "cross_entropy") {
    return prepared(
        warpline::cross_entropy_plan(place, numbers.loss, numbers.lse, x, numbers.targets));
  }
  if (operation == "cross_entropy_backward") {
    return prepared(warpline::cross_entropy_backward_plan(place, y, x, numbers.targets, numbers.lse,
                                                          numbers.dloss));
  }
  // The numbers are about as large as they are there.
  if (operation == "rms_norm_backward") {
    return prepared(warpline::rms_norm_backward_plan(place, y, second, x, numbers.dloss,
                                                     {.weight = weight, .dweight = dweight}));
  }
  if (operation == "layer_norm_backward") {
    return prepared(
        warpline::layer_norm_backward_plan(place, y, second, x, numbers.lse, numbers.dloss,
                                           {.weight = weight, .dweight = dweight, .dbias = dbias}));
  }
  if (operation == "rms_norm_fp8") {
    warpline::MutableMatrix none = y;
    none.data = nullptr;
    const warpline::NormFp8 fp8{static_cast<std::uint8_t*>(y.data), y.columns, numbers.loss};
    return prepared(warpline::rms_norm_plan(place, none, x, {.weight = weight, .fp8 = fp8}));
  }
  if (operation == "rms_norm") {
    return prepared(warpline::rms_norm_plan(place, y, x, {.weight = weight}));
  }
  return prepared(warpline::layer_norm_plan(place, y, x, {.weight = weight, .bias = weight}));
}

}  // namespace sample::rows
