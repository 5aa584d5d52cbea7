// Reductions along a dimension of any strides, and argmax, against fp64 (or exact integers), on the
// unit's target.
#pragma once

#include <algorithm>

#include "reduction/reduce.h"
#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// Extents and strides of a view, without its memory.
struct ViewShape {
  std::int64_t outer = 1;
  std::int64_t reduced = 1;
  std::int64_t inner = 1;
  std::int64_t outer_stride = 0;
  std::int64_t reduced_stride = 0;
  std::int64_t inner_stride = 0;
  /// Elements before the first.
  std::int64_t offset = 0;

  static ViewShape contiguous(std::int64_t outer, std::int64_t reduced, std::int64_t inner) {
    return {outer, reduced, inner, reduced * inner, inner, 1};
  }
  std::int64_t place(std::int64_t o, std::int64_t k, std::int64_t i) const {
    return offset + o * outer_stride + k * reduced_stride + i * inner_stride;
  }
};

inline std::string to_string(const ViewShape& s) {
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  return text(s.outer) + " x (" + text(s.reduced) + ") x " + text(s.inner) + ", strides " +
         text(s.outer_stride) + ", " + text(s.reduced_stride) + ", " + text(s.inner_stride) + ", " +
         text(s.offset) + " off";
}

/// A view's elements, and poison wherever it has none.
class ViewCase {
 public:
  /// Filled with value(o, k, i), rounded to the type.
  template <class Value>
  ViewCase(ElementType type, const ViewShape& shape, Value value)
      : type_(type), shape_(shape), bytes_(filled(type, shape, value)), device_(bytes_) {}

  double at(std::int64_t o, std::int64_t k, std::int64_t i) const {
    const unsigned char* const from =
        &bytes_[static_cast<std::size_t>(shape_.place(o, k, i) * bytes_of(type_))];
    if (type_ == ElementType::int32) {
      std::int32_t integer;
      std::memcpy(&integer, from, 4);
      return integer;
    }
    return decode(type_, from);
  }

  ReduceView view() const {
    return {device_.data() + shape_.offset * bytes_of(type_),
            type_,
            shape_.outer,
            shape_.reduced,
            shape_.inner,
            shape_.outer_stride,
            shape_.reduced_stride,
            shape_.inner_stride};
  }

 private:
  template <class Value>
  static std::vector<unsigned char> filled(ElementType type, const ViewShape& shape, Value value) {
    const auto size = bytes_of(type);
    const std::int64_t last =
        shape.place(shape.outer - 1, std::max<std::int64_t>(shape.reduced, 1) - 1, shape.inner - 1);
    std::vector<unsigned char> bytes(static_cast<std::size_t>((last + 1) * size), 0x7f);
    for (std::int64_t o = 0; o < shape.outer; ++o) {
      for (std::int64_t k = 0; k < shape.reduced; ++k) {
        for (std::int64_t i = 0; i < shape.inner; ++i) {
          unsigned char* const to = &bytes[static_cast<std::size_t>(shape.place(o, k, i) * size)];
          if (type == ElementType::int32) {
            const auto integer = static_cast<std::int32_t>(value(o, k, i));
            std::memcpy(to, &integer, 4);
          } else {
            encode(type, value(o, k, i), to);
          }
        }
      }
    }
    return bytes;
  }

  ElementType type_;
  ViewShape shape_;
  std::vector<unsigned char> bytes_;
  DeviceArray<unsigned char> device_;
};

/// The bound of a sum of n numbers in fp32, added in any order: n units of 2^-24 of the sum of
/// their magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 4.2); of out's type
/// half a unit more. Extremes are exact in x's type.
inline void check_view(ReduceKind kind, ElementType type, ElementType out_type,
                       const ViewShape& shape, const Stream& stream, unsigned seed) {
  INFO("kind " << static_cast<int>(kind) << ", " << name_of(type) << " " << to_string(shape)
               << ", out " << name_of(out_type) << ", seed " << seed);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 3);
  const ViewCase x(type, shape, [&](std::int64_t, std::int64_t, std::int64_t) {
    return normal(random) * (type == ElementType::int32 ? 1e8 : 1);
  });
  // Columns of out are its rows in memory: another stride than x's.
  const TypedRowsCase reals(out_type, {.rows = shape.inner, .columns = shape.outer, .padding = 1});
  const DeviceArray<std::int32_t> integers(
      std::vector<std::int32_t>(static_cast<std::size_t>(shape.outer * shape.inner), 7));
  const bool integer = type == ElementType::int32;
  const MutableMatrix out = integer ? column_major(integers.data(), shape.outer, shape.inner)
                                    : reals.matrix().transposed();
  const PreparedReduction plan = reduce_plan(place_of(stream), out, x.view(), kind);
  INFO(plan.choice());
  plan.run(place_of(stream));
  std::vector<double> got;
  if (integer) {
    const std::vector<std::int32_t> values = integers.values();
    got.assign(values.begin(), values.end());
  } else {
    got = reals.values();
  }
  REQUIRE(got.size() == static_cast<std::size_t>(shape.outer * shape.inner));
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      double wanted = kind == ReduceKind::minimum   ? std::numeric_limits<double>::infinity()
                      : kind == ReduceKind::maximum ? -std::numeric_limits<double>::infinity()
                                                    : 0;
      double magnitudes = 0;
      for (std::int64_t k = 0; k < shape.reduced; ++k) {
        const double value = x.at(o, k, i);
        magnitudes += std::abs(value);
        wanted = kind == ReduceKind::sum       ? wanted + value
                 : kind == ReduceKind::norm    ? wanted + value * value
                 : kind == ReduceKind::minimum ? std::min(wanted, value)
                                               : std::max(wanted, value);
      }
      wanted = kind == ReduceKind::norm ? std::sqrt(wanted) : wanted;
      const double result = got[static_cast<std::size_t>(i * shape.outer + o)];
      INFO("result (" << o << ", " << i << "): " << result << ", not " << wanted);
      if (integer && kind == ReduceKind::sum) {
        const auto whole = static_cast<std::uint32_t>(static_cast<std::int64_t>(wanted));
        REQUIRE(static_cast<std::int32_t>(result) == static_cast<std::int32_t>(whole));
        continue;
      }
      if (integer && shape.reduced == 0) {
        wanted = wanted < 0 ? std::numeric_limits<std::int32_t>::min()
                            : std::numeric_limits<std::int32_t>::max();
      }
      const bool extreme = kind == ReduceKind::minimum || kind == ReduceKind::maximum;
      const double bound =
          (extreme ? 0 : static_cast<double>(shape.reduced + 2) * std::ldexp(magnitudes, -24)) +
          rounding_of(out_type) * std::abs(wanted);
      REQUIRE((result == wanted || std::abs(result - wanted) <= bound));
    }
  }
}

/// Of few different numbers, so that the first of many equal ones is wanted; now and then a NaN,
/// and results whose elements are all the least that there is.
inline void check_argmax(ElementType type, const ViewShape& shape, const Stream& stream,
                         unsigned seed) {
  INFO("argmax, " << name_of(type) << " " << to_string(shape) << ", seed " << seed);
  std::mt19937 random(seed);
  const double least = type == ElementType::int32 ? std::numeric_limits<std::int32_t>::min()
                                                  : -std::numeric_limits<double>::infinity();
  const ViewCase x(type, shape, [&](std::int64_t o, std::int64_t, std::int64_t i) {
    if ((o + i) % 5 == 3) {
      return least;
    }
    if (type != ElementType::int32 && (o + i) % 3 == 1 &&
        random() % static_cast<unsigned>(2 * shape.reduced) < 3) {
      return random() % 2 == 0 ? std::nan("") : -std::nan("");
    }
    const double value = random() % 4;
    return (o + i) % 4 == 2 ? (random() % 2 == 0 ? -0.0 : 0.0) : value - 2;
  });
  const auto results = static_cast<std::size_t>(shape.outer * shape.inner);
  const DeviceArray<std::int64_t> out(std::vector<std::int64_t>(results + 1, -7));
  const PreparedReduction plan = argmax_plan(place_of(stream), out.data(), x.view());
  INFO(plan.choice());
  plan.run(place_of(stream));
  const std::vector<std::int64_t> got = out.values();
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      std::int64_t wanted = 0;
      for (std::int64_t k = 1; k < shape.reduced && !std::isnan(x.at(o, wanted, i)); ++k) {
        const double value = x.at(o, k, i);
        wanted = std::isnan(value) || value > x.at(o, wanted, i) ? k : wanted;
      }
      INFO("result (" << o << ", " << i << ")");
      REQUIRE(got[static_cast<std::size_t>(o * shape.inner + i)] == wanted);
    }
  }
  CHECK(got.back() == -7);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
