// What the units of reductions add to their target's table.
#pragma once

#include <vector>

#include "reduction/argmax_op.h"
#include "reduction/reduce_line.h"

namespace warpline::inline WARPLINE_TARGET {

namespace reduce_units_detail {

template <ReduceStep Step, class T>
struct Choose {
  using Type = ReduceSum<T>;
};
template <class T>
struct Choose<ReduceStep::minimum, T> {
  using Type = ReduceMin<T>;
};
template <class T>
struct Choose<ReduceStep::maximum, T> {
  using Type = ReduceMax<T>;
};
template <class T>
struct Choose<ReduceStep::norm, T> {
  using Type = ReduceNorm<T>;
};
template <class T>
struct Choose<ReduceStep::argmax, T> {
  using Type = ReduceArgmax<T>;
};

}  // namespace reduce_units_detail

template <ReduceStep Step, class T>
using OpOf = typename reduce_units_detail::Choose<Step, T>::Type;

void add_reduce_sum(std::vector<ReduceLine>& table);
void add_reduce_minimum(std::vector<ReduceLine>& table);
void add_reduce_maximum(std::vector<ReduceLine>& table);
void add_reduce_norm(std::vector<ReduceLine>& table);
void add_reduce_argmax(std::vector<ReduceLine>& table);
template <bool Argmax>
void add_reduce_columns(std::vector<ReduceLine>& table);
template <>
void add_reduce_columns<false>(std::vector<ReduceLine>& table);
template <>
void add_reduce_columns<true>(std::vector<ReduceLine>& table);
void add_reduce_strided(std::vector<ReduceLine>& table);

}  // namespace warpline::inline WARPLINE_TARGET
