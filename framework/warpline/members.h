// The member types of a plain struct, so that a Stage is written once, with names, and its byte
// counts are derived from it. Structured bindings do the work: up to eight members, no bases, no
// arrays.
#pragma once

#include <cstddef>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

template <class... Types>
struct TypeList {
  static constexpr int size = sizeof...(Types);
};

namespace members_detail {

struct Anything {
  template <class T>
  constexpr operator T() const;  // NOLINT(google-explicit-constructor): stands for any member
};

template <class T, class... Fillers>
concept BracesFit = requires { T{Fillers{}...}; };

template <class T, class... Fillers>
constexpr int count() {
  if constexpr (BracesFit<T, Fillers..., Anything>) {
    return count<T, Fillers..., Anything>();
  } else {
    return sizeof...(Fillers);
  }
}

template <class... Types>
TypeList<Types...> list(Types&...);

template <class T>
constexpr auto types(T& value) {
  constexpr int members = count<T>();
  static_assert(members <= 8, "a Stage has at most eight members");
  if constexpr (members == 0) {
    return TypeList<>{};
  } else if constexpr (members == 1) {
    auto& [a] = value;
    return decltype(list(a)){};
  } else if constexpr (members == 2) {
    auto& [a, b] = value;
    return decltype(list(a, b)){};
  } else if constexpr (members == 3) {
    auto& [a, b, c] = value;
    return decltype(list(a, b, c)){};
  } else if constexpr (members == 4) {
    auto& [a, b, c, d] = value;
    return decltype(list(a, b, c, d)){};
  } else if constexpr (members == 5) {
    auto& [a, b, c, d, e] = value;
    return decltype(list(a, b, c, d, e)){};
  } else if constexpr (members == 6) {
    auto& [a, b, c, d, e, f] = value;
    return decltype(list(a, b, c, d, e, f)){};
  } else if constexpr (members == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return decltype(list(a, b, c, d, e, f, g)){};
  } else {
    auto& [a, b, c, d, e, f, g, h] = value;
    return decltype(list(a, b, c, d, e, f, g, h)){};
  }
}

template <class T>
T& unevaluated();

}  // namespace members_detail

/// TypeList of the members of the aggregate `T`, in order.
template <class T>
using MemberTypes = decltype(members_detail::types(members_detail::unevaluated<T>()));

}  // namespace warpline::inline WARPLINE_TARGET
