// Rows of any element type in the memory of the unit's target: poison around and between them, so
// that what a kernel writes beside its rows, or reads there, shows.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tensor/matrix.h"
#include "tensor/place.h"
#include "tests/support/device_array.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// Half a unit in the last place of 1: the most that rounding changes a number, of itself.
inline double rounding_of(ElementType type) {
  return type == ElementType::fp32   ? std::ldexp(1.0, -24)
         : type == ElementType::fp16 ? std::ldexp(1.0, -11)
                                     : std::ldexp(1.0, -8);
}

inline void encode(ElementType type, double value, unsigned char* to) {
  const auto real = static_cast<float>(value);
  if (type == ElementType::fp32) {
    std::memcpy(to, &real, 4);
  } else if (type == ElementType::fp16) {
    const __half half = __float2half(real);
    std::memcpy(to, &half, 2);
  } else {
    const __nv_bfloat16 half = __float2bfloat16(real);
    std::memcpy(to, &half, 2);
  }
}

inline double decode(ElementType type, const unsigned char* from) {
  if (type == ElementType::fp32) {
    float real;
    std::memcpy(&real, from, 4);
    return real;
  }
  if (type == ElementType::fp16) {
    __half half;
    std::memcpy(&half, from, 2);
    return __half2float(half);
  }
  __nv_bfloat16 half;
  std::memcpy(&half, from, 2);
  return __bfloat162float(half);
}

struct RowShape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  /// Elements between a row's end and the next row, and before the first.
  std::int64_t padding = 0;
  std::int64_t offset = 0;
};

inline std::string to_string(const RowShape& shape) {
  return std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + ", padded by " +
         std::to_string(shape.padding) + ", " + std::to_string(shape.offset) + " elements off";
}

class TypedRowsCase {
 public:
  TypedRowsCase(ElementType type, const RowShape& shape)
      : type_(type), shape_(shape), bytes_(poison(type, shape)), device_(bytes_) {}

  /// Filled with value(row, column), rounded to the type.
  template <class Value>
  void fill(Value value) {
    for (std::int64_t r = 0; r < shape_.rows; ++r) {
      for (std::int64_t c = 0; c < shape_.columns; ++c) {
        encode(type_, value(r, c), &bytes_[place(r, c)]);
      }
    }
    device_.assign(bytes_);
  }
  void fill_reals(unsigned seed, double scale = 3) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, scale);
    fill([&](std::int64_t, std::int64_t) { return normal(random); });
  }
  void poison_device() const { device_.assign(bytes_); }

  /// What was filled in, as rounded.
  double at(std::int64_t r, std::int64_t c) const { return decode(type_, &bytes_[place(r, c)]); }

  MutableMatrix matrix() const {
    return {device_.data() + shape_.offset * bytes_of(type_), type_, shape_.rows, shape_.columns,
            shape_.columns + shape_.padding};
  }

  /// The target's values, row by row. An empty vector if anything beside them was overwritten.
  std::vector<double> values() const {
    const std::vector<unsigned char> now = device_.values();
    std::vector<unsigned char> beside = now;
    std::vector<double> result;
    for (std::int64_t r = 0; r < shape_.rows; ++r) {
      for (std::int64_t c = 0; c < shape_.columns; ++c) {
        result.push_back(decode(type_, &now[place(r, c)]));
        std::memcpy(&beside[place(r, c)], &bytes_[place(r, c)],
                    static_cast<std::size_t>(bytes_of(type_)));
      }
    }
    return beside == bytes_ ? result : std::vector<double>{};
  }

 private:
  /// Elements behind the last row.
  static constexpr std::int64_t poisoned = 16;

  static std::vector<unsigned char> poison(ElementType type, const RowShape& shape) {
    // 0x7f: a NaN in fp16 and bf16, 3e38 in fp32.
    return std::vector<unsigned char>(
        static_cast<std::size_t>(
            (shape.rows * (shape.columns + shape.padding) + shape.offset + poisoned) *
            bytes_of(type)),
        0x7f);
  }
  std::size_t place(std::int64_t r, std::int64_t c) const {
    return static_cast<std::size_t>((r * (shape_.columns + shape_.padding) + c + shape_.offset) *
                                    bytes_of(type_));
  }

  ElementType type_;
  RowShape shape_;
  std::vector<unsigned char> bytes_;
  DeviceArray<unsigned char> device_;
};

/// The root of the sum of squares.
inline double norm_of(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

/// || got - wanted || / || wanted ||; infinity where one is NaN and the other is not, or where the
/// sizes differ. Infinities must be met exactly.
inline double relative_error(const std::vector<double>& got, const std::vector<double>& wanted) {
  double difference = 0;
  double norm = 0;
  if (got.size() != wanted.size()) {
    return std::numeric_limits<double>::infinity();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(wanted[i]) || std::isinf(wanted[i])) {
      if (std::isnan(wanted[i]) ? !std::isnan(got[i]) : got[i] != wanted[i]) {
        return std::numeric_limits<double>::infinity();
      }
      continue;
    }
    const double d = got[i] - wanted[i];
    if (!std::isfinite(d)) {
      return std::numeric_limits<double>::infinity();
    }
    difference += d * d;
    norm += wanted[i] * wanted[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / norm);
}

/// Where calls of this unit's target run.
inline Place place_of(const Stream& stream) {
#if WARPLINE_ON_GPU
  return Place(stream);
#else
  return Place(stream.options);
#endif
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
