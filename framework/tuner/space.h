// A configuration space: the product of named parameters, pruned at compile time. Host code only:
// Boost.Hana is too heavy for kernel units, and what it is made of is not device code.
//
// The points are a struct that Hana knows (BOOST_HANA_ADAPT_STRUCT); its members are the names of
// the parameters. The product is walked by index: as a Hana sequence of types, the ladder's 756
// points took g++ 10 seconds, this way one.
#pragma once

#include <array>
#include <boost/hana/accessors.hpp>
#include <boost/hana/all_of.hpp>
#include <boost/hana/fold_left.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <cstddef>
#include <string_view>

namespace warpline::tuner {

namespace hana = boost::hana;

/// A name as a template argument.
template <std::size_t Length>
struct Name {
  consteval Name(const char (&text)[Length]) {  // NOLINT(google-explicit-constructor): a literal
    for (std::size_t i = 0; i < Length; ++i) {
      letters[i] = text[i];
    }
  }
  constexpr std::string_view view() const { return {letters, Length - 1}; }
  char letters[Length] = {};
};

/// `Names` that vary together, and the values that they take, one row for each choice.
template <std::size_t Choices, Name... Names>
struct Parameter {
  static constexpr std::size_t choices = Choices;
  int values[Choices][sizeof...(Names)];
};

/// parameter<"stages">(2, 3, 4)
template <Name Only, class... Values>
constexpr auto parameter(Values... values) {
  return Parameter<sizeof...(Values), Only>{{{values}...}};
}

/// parameters<"block_m", "block_n">({{128, 64}, {128, 128}}): names that do not vary freely.
template <Name... Names, std::size_t Choices>
constexpr auto parameters(const int (&rows)[Choices][sizeof...(Names)]) {
  Parameter<Choices, Names...> made{};
  for (std::size_t row = 0; row < Choices; ++row) {
    for (std::size_t column = 0; column < sizeof...(Names); ++column) {
      made.values[row][column] = rows[row][column];
    }
  }
  return made;
}

namespace detail {

/// Sets the member of that name.
template <Name Member, class Point>
constexpr void assign(Point& point, int value) {
  constexpr auto is_member = [](auto accessor) {
    return std::string_view(hana::first(accessor).c_str()) == Member.view();
  };
  constexpr bool known =
      hana::fold_left(hana::accessors<Point>(), false,
                      [=](bool found, auto accessor) { return found || is_member(accessor); });
  static_assert(known, "a parameter's name is no member of the point: Name<...> above has it");
  hana::for_each(hana::accessors<Point>(), [&](auto accessor) {
    if constexpr (is_member(accessor)) {
      hana::second(accessor)(point) = value;
    }
  });
}

template <std::size_t Choices, Name... Names, class Point>
constexpr void assign(Point& point, const Parameter<Choices, Names...>& parameter,
                      std::size_t row) {
  std::size_t column = 0;
  (assign<Names>(point, parameter.values[row][column++]), ...);
}

}  // namespace detail

/// All combinations of the parameters' values, as values of Point.
template <class Point, class... Parameters>
class Space {
 public:
  constexpr explicit Space(const Parameters&... parameters) : parameters_(parameters...) {}

  static constexpr std::size_t size = (std::size_t{1} * ... * Parameters::choices);

  /// The first parameter varies slowest.
  constexpr Point at(std::size_t index) const {
    Point point{};
    std::size_t left = size;
    hana::for_each(parameters_, [&](const auto& parameter) {
      left /= parameter.choices;
      detail::assign(point, parameter, index / left % parameter.choices);
    });
    return point;
  }

 private:
  hana::tuple<Parameters...> parameters_;
};

template <class Point, class... Parameters>
constexpr auto space(const Parameters&... parameters) {
  return Space<Point, Parameters...>(parameters...);
}

/// The points of `Product` (a constexpr Space) that `Plan` (a constexpr predicate) lets through.
template <const auto& Product, auto Plan>
constexpr auto survivors() {
  constexpr std::size_t count = [] {
    std::size_t found = 0;
    for (std::size_t i = 0; i < Product.size; ++i) {
      found += Plan(Product.at(i)) ? 1 : 0;
    }
    return found;
  }();
  std::array<decltype(Product.at(0)), count> points{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < Product.size; ++i) {
    if (const auto point = Product.at(i); Plan(point)) {
      points[next++] = point;
    }
  }
  return points;
}

}  // namespace warpline::tuner
