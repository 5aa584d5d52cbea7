#include "samples/rows_bench/operations.h"

#if WARPLINE_HAS_GPU

#include <cmath>
#include <vector>

#include "normalization/norm.h"
#include "normalization/norm_backward.h"
#include "softmax/cross_entropy.h"
#include "softmax/softmax.h"

namespace sample::rows {

namespace {

constexpr std::size_t bytes_per_row = 8 + 3 * 4;

template <class Plan>
Prepared prepared(const Plan& plan) {
  return {plan, plan.choice()};
}

}  // namespace

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

RowNumbers::RowNumbers(const Shape& shape, std::size_t sets)
    : rows_(static_cast<std::size_t>(shape.rows)),
      each_((rows_ * bytes_per_row + 511) / 512 * 512),
      memory_(each_ * sets, "numbers of rows") {
  std::vector<std::int64_t> indices;
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    indices.push_back(r * 7919 % shape.columns);
  }
  // About what rows of normal numbers have, and ones.
  std::vector<float> numbers(2 * rows_, 1.0f);
  for (std::size_t r = 0; r < rows_; ++r) {
    numbers[r] = std::log(static_cast<float>(shape.columns)) + 0.5f;
  }
  for (std::size_t set = 0; set < sets; ++set) {
    memory_.upload(set * each_, indices.data(), rows_ * 8);
    memory_.upload(set * each_ + rows_ * 8, numbers.data(), rows_ * 8);
  }
}

std::int64_t* RowNumbers::targets(std::size_t set) const {
  return reinterpret_cast<std::int64_t*>(memory_.at(set * each_));
}

float* RowNumbers::floats(std::size_t set, std::size_t which) const {
  return reinterpret_cast<float*>(memory_.at(set * each_ + rows_ * (8 + 4 * which)));
}

Prepared prepare(const std::string& operation, const Operands& operands) {
  const warpline::Place place(static_cast<CUstream_st*>(nullptr));
  const auto& [x, second, y, weight, numbers, set, dweight, dbias] = operands;
  if (operation == "softmax") {
    return prepared(warpline::softmax_plan(place, y, x));
  }
  if (operation == "softmax_backward" || operation == "log_softmax_backward") {
    return prepared(warpline::softmax_backward_plan(
        place, y, x, second, {.logarithm = operation == "log_softmax_backward"}));
  }
  if (operation == "cross_entropy") {
    return prepared(warpline::cross_entropy_plan(place, numbers->loss(set), numbers->lse(set), x,
                                                 numbers->targets(set)));
  }
  if (operation == "cross_entropy_backward") {
    return prepared(warpline::cross_entropy_backward_plan(place, y, x, numbers->targets(set),
                                                          numbers->lse(set), numbers->dloss(set)));
  }
  // The numbers are about as large as they are there.
  if (operation == "rms_norm_backward") {
    return prepared(warpline::rms_norm_backward_plan(place, y, second, x, numbers->dloss(set),
                                                     {.weight = weight, .dweight = dweight}));
  }
  if (operation == "layer_norm_backward") {
    return prepared(warpline::layer_norm_backward_plan(
        place, y, second, x, numbers->lse(set), numbers->dloss(set),
        {.weight = weight, .dweight = dweight, .dbias = dbias}));
  }
  if (operation == "rms_norm_fp8") {
    warpline::MutableMatrix none = y;
    none.data = nullptr;
    const warpline::NormFp8 fp8{static_cast<std::uint8_t*>(y.data), y.columns, numbers->loss(set)};
    return prepared(warpline::rms_norm_plan(place, none, x, {.weight = weight, .fp8 = fp8}));
  }
  if (operation == "rms_norm") {
    return prepared(warpline::rms_norm_plan(place, y, x, {.weight = weight}));
  }
  return prepared(warpline::layer_norm_plan(place, y, x, {.weight = weight, .bias = weight}));
}

}  // namespace sample::rows

#endif
