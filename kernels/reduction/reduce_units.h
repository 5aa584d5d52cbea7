// What the units of reductions add to their target's table.
#pragma once

#include <vector>

#include "reduction/reduce_line.h"
#include "reduction/reduce_ops.h"

namespace warpline::inline WARPLINE_TARGET {

namespace reduce_units_detail {

template <ReduceKind Kind, class T>
struct Choose {
  using Type = ReduceSum<T>;
};
template <class T>
struct Choose<ReduceKind::minimum, T> {
  using Type = ReduceMin<T>;
};
template <class T>
struct Choose<ReduceKind::maximum, T> {
  using Type = ReduceMax<T>;
};
template <class T>
struct Choose<ReduceKind::norm, T> {
  using Type = ReduceNorm<T>;
};

}  // namespace reduce_units_detail

template <ReduceKind Kind, class T>
using OpOf = typename reduce_units_detail::Choose<Kind, T>::Type;

void add_reduce_sum(std::vector<ReduceLine>& table);
void add_reduce_minimum(std::vector<ReduceLine>& table);
void add_reduce_maximum(std::vector<ReduceLine>& table);
void add_reduce_norm(std::vector<ReduceLine>& table);

}  // namespace warpline::inline WARPLINE_TARGET
