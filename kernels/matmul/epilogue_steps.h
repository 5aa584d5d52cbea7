// The epilogue as a list of steps, for calls that compose it at run time. Knows neither target.
// Kernels with an epilogue fixed at compile time: matmul/epilogue_functions.h.
#pragma once

#include <cstdint>

#include "tensor/matrix.h"

namespace warpline {

/// One step on the fp32 value x of element (m, n) of D. Made by the functions below.
struct EpilogueStep {
  enum class Kind : std::int32_t {
    row_bias,      ///< x + v[m]
    column_bias,   ///< x + v[n]
    row_scale,     ///< x * v[m]
    column_scale,  ///< x * v[n]
    residual,      ///< x + first * R[m][n]
    scale,         ///< x * first
    relu,          ///< max(x, 0); NaN stays NaN
    gelu,          ///< x/2 (1 + erf(x / sqrt 2))
    gelu_tanh,     ///< x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    silu,          ///< x / (1 + exp(-x))
    clamp,         ///< min(max(x, first), second); NaN stays NaN
    store,  ///< x is also stored, rounded to the matrix' type, to S[m][n]; x goes on unrounded
    amax,   ///< *v = max(*v, |x|) over all elements, an fp32 that the caller has set to 0; NaN if
            ///< any x is NaN
  };
  Kind kind = Kind::scale;
  ElementType type = ElementType::fp32;
  /// v, R or S; null for steps that have none.
  void* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  std::int64_t batch_stride = 0;
  float first = 0;
  float second = 0;
};

/// Steps in one epilogue; beta * C is one of them.
inline constexpr int max_epilogue_steps = 8;

namespace epilogue {

/// A vector of M (or N) elements of type T: one for each row (column) of D. `batch_stride`:
/// elements between the vectors of a batch; 0 for the same one.
template <class T>
EpilogueStep row_bias(const T* v, std::int64_t batch_stride = 0) {
  return {.kind = EpilogueStep::Kind::row_bias,
          .type = element_type<T>(),
          .data = const_cast<T*>(v),
          .row_stride = 1,
          .batch_stride = batch_stride};
}
template <class T>
EpilogueStep column_bias(const T* v, std::int64_t batch_stride = 0) {
  return {.kind = EpilogueStep::Kind::column_bias,
          .type = element_type<T>(),
          .data = const_cast<T*>(v),
          .column_stride = 1,
          .batch_stride = batch_stride};
}
template <class T>
EpilogueStep row_scale(const T* v, std::int64_t batch_stride = 0) {
  EpilogueStep step = row_bias(v, batch_stride);
  step.kind = EpilogueStep::Kind::row_scale;
  return step;
}
template <class T>
EpilogueStep column_scale(const T* v, std::int64_t batch_stride = 0) {
  EpilogueStep step = column_bias(v, batch_stride);
  step.kind = EpilogueStep::Kind::column_scale;
  return step;
}

/// R is M x N; any strides.
inline EpilogueStep residual(const Matrix& r, float factor = 1) {
  return {.kind = EpilogueStep::Kind::residual,
          .type = r.type,
          .data = const_cast<void*>(r.data),
          .row_stride = r.row_stride,
          .column_stride = r.column_stride,
          .batch_stride = r.batch_stride,
          .first = factor};
}
/// S is M x N; any strides by which no two elements share an address.
inline EpilogueStep store(const MutableMatrix& s) {
  return {.kind = EpilogueStep::Kind::store,
          .type = s.type,
          .data = s.data,
          .row_stride = s.row_stride,
          .column_stride = s.column_stride,
          .batch_stride = s.batch_stride};
}
inline EpilogueStep scale(float factor) {
  return {.kind = EpilogueStep::Kind::scale, .first = factor};
}
inline EpilogueStep relu() { return {.kind = EpilogueStep::Kind::relu}; }
inline EpilogueStep gelu() { return {.kind = EpilogueStep::Kind::gelu}; }
inline EpilogueStep gelu_tanh() { return {.kind = EpilogueStep::Kind::gelu_tanh}; }
inline EpilogueStep silu() { return {.kind = EpilogueStep::Kind::silu}; }
inline EpilogueStep clamp(float low, float high) {
  return {.kind = EpilogueStep::Kind::clamp, .first = low, .second = high};
}
inline EpilogueStep amax(float* largest) {
  return {.kind = EpilogueStep::Kind::amax, .type = ElementType::fp32, .data = largest};
}

}  // namespace epilogue

}  // namespace warpline
