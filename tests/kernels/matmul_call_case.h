// One call of warpline::matmul with everything around it that can go wrong: NaN beside every
// operand and in every element of the output, guards around its rows, the result in fp64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "matmul/matmul.h"
#include "tests/support/device_array.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// A matrix' place in its buffer: `padding` elements between rows (columns), `offset` before the
/// first.
struct CallLayout {
  bool column_major = false;
  int padding = 0;
  int offset = 0;
  bool shared = false;  ///< by all problems of the batch
};

struct CallShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  ElementType type = ElementType::fp16;
  ElementType d_type = ElementType::fp16;
  CallLayout a = {};
  CallLayout b = {};
  CallLayout d = {};
  float alpha = 1;
  float beta = 0;
  bool in_place = false;    ///< C is D
  bool by_address = false;  ///< operands as arrays of addresses
};

inline std::string to_string(const CallLayout& layout) {
  return std::string(layout.column_major ? "column" : "row") + "-major +" +
         std::to_string(layout.padding) + " @" + std::to_string(layout.offset) +
         (layout.shared ? " shared" : "");
}

inline std::string to_string(const CallShape& shape) {
  return std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
         std::to_string(shape.k) + ", batch " + std::to_string(shape.batch) +
         (shape.by_address ? " by address" : "") + ", " + name_of(shape.type) + " to " +
         name_of(shape.d_type) + ", A " + to_string(shape.a) + ", B " + to_string(shape.b) +
         ", D " + to_string(shape.d) + ", alpha " + std::to_string(shape.alpha) + ", beta " +
         std::to_string(shape.beta) + (shape.in_place ? " in place" : "");
}

inline double decode(const unsigned char* at, ElementType type) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  if (type == ElementType::fp16) {
    return static_cast<double>(__half2float(__ushort_as_half(bits)));
  }
  if (type == ElementType::bf16) {
    return static_cast<double>(__bfloat162float(__ushort_as_bfloat16(bits)));
  }
  float value = 0;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

inline void encode(unsigned char* at, ElementType type, float value) {
  if (type == ElementType::fp32) {
    std::memcpy(at, &value, sizeof value);
    return;
  }
  const std::uint16_t bits = type == ElementType::fp16
                                 ? __half_as_ushort(__float2half(value))
                                 : __bfloat16_as_ushort(__float2bfloat16(value));
  std::memcpy(at, &bits, sizeof bits);
}

/// The matrices of a batch in device memory; NaN (bytes of 255) wherever no element is.
class CallMatrix {
 public:
  CallMatrix(std::int64_t rows, std::int64_t columns, std::int64_t batch, ElementType type,
             const CallLayout& layout)
      : rows_(rows), columns_(columns), type_(type), matrices_(layout.shared ? 1 : batch) {
    const std::int64_t inner = layout.column_major ? rows : columns;
    const std::int64_t outer = layout.column_major ? columns : rows;
    const std::int64_t leading = inner + layout.padding;
    row_stride_ = layout.column_major ? 1 : leading;
    column_stride_ = layout.column_major ? leading : 1;
    // All matrices are aligned as the rows are.
    batch_stride_ = layout.shared ? 0 : outer * leading + (leading % 8 == 0 ? 16 : 3);
    first_ = guard + layout.offset;
    const std::int64_t elements = first_ + matrices_ * (outer * leading + 16) + guard;
    bytes_.assign(static_cast<std::size_t>(elements * bytes_of(type)), 255);
    device_ = std::make_unique<DeviceArray<unsigned char>>(bytes_);
    for (std::int64_t i = 0; i < batch; ++i) {
      addresses_.push_back(device_->data() +
                           (first_ + (layout.shared ? 0 : i) * batch_stride_) * bytes_of(type));
    }
  }

  /// Uniform in -1 .. 1.
  void fill(std::mt19937& random) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    values_.clear();
    for (std::int64_t matrix = 0; matrix < matrices_; ++matrix) {
      for (std::int64_t r = 0; r < rows_; ++r) {
        for (std::int64_t c = 0; c < columns_; ++c) {
          unsigned char* const place = &bytes_[at(matrix, r, c)];
          encode(place, type_, uniform(random));
          values_.push_back(decode(place, type_));
        }
      }
    }
    device_->assign(bytes_);
  }
  void restore() const { device_->assign(bytes_); }

  double value(std::int64_t matrix, std::int64_t r, std::int64_t c) const {
    return values_[static_cast<std::size_t>(((matrices_ == 1 ? 0 : matrix) * rows_ + r) * columns_ +
                                            c)];
  }
  double value_in(const std::vector<unsigned char>& bytes, std::int64_t matrix, std::int64_t r,
                  std::int64_t c) const {
    return decode(&bytes[at(matrix, r, c)], type_);
  }
  std::vector<unsigned char> output() const { return device_->values(); }

  /// Whether bytes that are no element's were written.
  bool touched_beside(std::vector<unsigned char> bytes) const {
    for (std::int64_t matrix = 0; matrix < matrices_; ++matrix) {
      for (std::int64_t r = 0; r < rows_; ++r) {
        for (std::int64_t c = 0; c < columns_; ++c) {
          std::memset(&bytes[at(matrix, r, c)], 255, static_cast<std::size_t>(bytes_of(type_)));
        }
      }
    }
    for (const unsigned char byte : bytes) {
      if (byte != 255) {
        return true;
      }
    }
    return false;
  }

  MutableMatrix view(bool by_address) const {
    const MutableMatrix matrix(addresses_.empty() ? device_->data() : addresses_.front(), type_,
                               rows_, columns_, row_stride_, column_stride_, batch_stride_);
    return by_address ? matrix.at(addresses_.data()) : matrix;
  }

 private:
  static constexpr std::int64_t guard = 64;
  std::size_t at(std::int64_t matrix, std::int64_t r, std::int64_t c) const {
    return static_cast<std::size_t>(
        (first_ + matrix * batch_stride_ + r * row_stride_ + c * column_stride_) * bytes_of(type_));
  }

  std::int64_t rows_;
  std::int64_t columns_;
  ElementType type_;
  std::int64_t matrices_;
  std::int64_t row_stride_;
  std::int64_t column_stride_;
  std::int64_t batch_stride_;
  std::int64_t first_;
  std::vector<unsigned char> bytes_;
  std::vector<double> values_;  ///< [matrix][row][column]
  std::unique_ptr<DeviceArray<unsigned char>> device_;
  std::vector<void*> addresses_;
};

class CallCase {
 public:
  CallCase(const CallShape& shape, unsigned seed)
      : shape_(shape),
        a_(shape.m, shape.k, shape.batch, shape.type, shape.a),
        b_(shape.k, shape.n, shape.batch, shape.type, shape.b),
        c_(shape.m, shape.n, shape.batch, shape.d_type, shape.d),
        d_(shape.m, shape.n, shape.batch, shape.d_type, shape.d) {
    std::mt19937 random(seed);
    a_.fill(random);
    b_.fill(random);
    c_.fill(random);
  }

  MutableMatrix d() const {
    return shape_.in_place ? c_.view(shape_.by_address) : d_.view(shape_.by_address);
  }
  Matrix a() const { return a_.view(shape_.by_address); }
  Matrix b() const { return b_.view(shape_.by_address); }
  MatmulOptions options() const {
    MatmulOptions options{.alpha = shape_.alpha, .beta = shape_.beta, .batch = shape_.batch};
    if (shape_.beta != 0) {
      options.c = c_.view(shape_.by_address);
    }
    return options;
  }
  /// Before the next run.
  void restore() const {
    c_.restore();
    d_.restore();
  }

  std::vector<unsigned char> output() const { return shape_.in_place ? c_.output() : d_.output(); }

  /// alpha * A * B + beta * C in fp64.
  double product(std::int64_t matrix, std::int64_t r, std::int64_t c) const {
    double sum = 0;
    for (std::int64_t k = 0; k < shape_.k; ++k) {
      sum += a_.value(matrix, r, k) * b_.value(matrix, k, c);
    }
    return static_cast<double>(shape_.alpha) * sum +
           (shape_.beta == 0 ? 0 : static_cast<double>(shape_.beta) * c_.value(matrix, r, c));
  }

  /// What is wrong with the output, or nothing. `epilogue` is applied in fp64. Of a large output,
  /// some rows are compared, the first and the last among them.
  template <class Epilogue>
  std::string error(Epilogue epilogue) const {
    const CallMatrix& d = shape_.in_place ? c_ : d_;
    const std::vector<unsigned char> bytes = d.output();
    if (d.touched_beside(bytes)) {
      return "elements beside the output were overwritten";
    }
    const std::int64_t step =
        1 + shape_.m * shape_.n * std::max<std::int64_t>(shape_.k, 1) / (std::int64_t{1} << 27);
    double squares = 0;
    double errors = 0;
    std::vector<double> sums(static_cast<std::size_t>(shape_.n));
    for (std::int64_t matrix = 0; matrix < shape_.batch; ++matrix) {
      for (std::int64_t r = 0; r < shape_.m; r = next_row(r, step)) {
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::int64_t k = 0; k < shape_.k; ++k) {
          const double a = a_.value(matrix, r, k);
          for (std::int64_t c = 0; c < shape_.n; ++c) {
            sums[static_cast<std::size_t>(c)] += a * b_.value(matrix, k, c);
          }
        }
        for (std::int64_t c = 0; c < shape_.n; ++c) {
          double expected = static_cast<double>(shape_.alpha) * sums[static_cast<std::size_t>(c)];
          if (shape_.beta != 0) {
            expected += static_cast<double>(shape_.beta) * c_.value(matrix, r, c);
          }
          expected = epilogue(expected, matrix, r, c);
          const double found = d.value_in(bytes, matrix, r, c);
          // Not `>`: NaN must not pass.
          if (!(std::abs(found - expected) <= 0.05 + 0.05 * std::abs(expected))) {
            return "D[" + std::to_string(r) + "][" + std::to_string(c) + "] of problem " +
                   std::to_string(matrix) + " is " + std::to_string(found) + ", not " +
                   std::to_string(expected);
          }
          squares += expected * expected;
          errors += (found - expected) * (found - expected);
        }
      }
    }
    // Half a unit in the last place of D's type, with its rounding errors evenly spread; fp32 sums.
    const double limit = shape_.d_type == ElementType::fp16   ? 5e-4
                         : shape_.d_type == ElementType::bf16 ? 4e-3
                                                              : 1e-5;
    const double relative = std::sqrt(errors / (squares > 0 ? squares : 1));
    if (!(relative <= limit)) {
      return "relative error " + std::to_string(relative) + ", above " + std::to_string(limit);
    }
    return {};
  }
  std::string error() const {
    return error([](double x, std::int64_t, std::int64_t, std::int64_t) { return x; });
  }

 private:
  /// The last row is never stepped over.
  std::int64_t next_row(std::int64_t r, std::int64_t step) const {
    const std::int64_t last = shape_.m - 1;
    return r < last ? std::min(r + step, last) : shape_.m;
  }

  CallShape shape_;
  CallMatrix a_;
  CallMatrix b_;
  CallMatrix c_;
  CallMatrix d_;
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
