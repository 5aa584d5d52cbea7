// Matrices of a test: any element type, any strides, any address, among bytes that must not change.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tensor/matrix.h"
#include "tests/support/device_array.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// Which elements are neighbours, and what lies between: `pad` elements after each row (column),
/// `offset` before the first one.
struct Placement {
  enum class Way { rows, columns, scattered };
  Way way = Way::rows;
  std::int64_t pad = 0;
  std::int64_t offset = 0;
};

inline std::string to_string(const Placement& placement) {
  const char* const names[] = {"rows", "columns", "scattered"};
  return std::string(names[static_cast<int>(placement.way)]) + " + " +
         std::to_string(placement.pad) + " at " + std::to_string(placement.offset);
}

class PlacedMatrix {
 public:
  /// Everything is NaN at first. `batch` matrices, or one that all share.
  PlacedMatrix(ElementType type, std::int64_t rows, std::int64_t columns, std::int64_t batch,
               const Placement& placement, bool shared = false)
      : type_(type), rows_(rows), columns_(columns), batch_(batch), offset_(placement.offset) {
    switch (placement.way) {
      case Placement::Way::rows:
        row_stride_ = columns + placement.pad;
        column_stride_ = 1;
        break;
      case Placement::Way::columns:
        row_stride_ = 1;
        column_stride_ = rows + placement.pad;
        break;
      case Placement::Way::scattered:
        column_stride_ = 3;
        row_stride_ = columns * 3 + placement.pad;
        break;
    }
    const std::int64_t extent = (rows - 1) * row_stride_ + (columns - 1) * column_stride_ + 1;
    batch_stride_ = shared ? 0 : (extent + placement.pad + 7) / 8 * 8 + placement.offset;
    const std::int64_t elements = offset_ + (batch - 1) * batch_stride_ + extent + tail;
    bytes_.assign(static_cast<std::size_t>(elements * bytes_of(type)), poison);
    values_.assign(static_cast<std::size_t>(batch * rows * columns), 0.0);
  }

  void set(std::int64_t matrix, std::int64_t row, std::int64_t column, double value) {
    unsigned char* const place = &bytes_[at(matrix, row, column)];
    const auto number = static_cast<float>(value);
    if (type_ == ElementType::fp32) {
      std::memcpy(place, &number, 4);
    } else {
      const std::uint16_t bits = type_ == ElementType::fp16
                                     ? __half_as_ushort(__float2half(number))
                                     : __bfloat16_as_ushort(__float2bfloat16(number));
      std::memcpy(place, &bits, 2);
    }
    values_[index(matrix, row, column)] = read(bytes_, matrix, row, column);
  }
  /// What `set` left after rounding.
  double value(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    return values_[index(matrix, row, column)];
  }

  template <class Make>
  void fill(Make make) {
    for (std::int64_t matrix = 0; matrix < (batch_stride_ == 0 ? 1 : batch_); ++matrix) {
      for (std::int64_t row = 0; row < rows_; ++row) {
        for (std::int64_t column = 0; column < columns_; ++column) {
          set(matrix, row, column, make());
        }
      }
    }
  }

  /// Makes it reachable for kernels, as it is now.
  void upload() {
    if (device_ == nullptr) {
      device_ = std::make_unique<DeviceArray<unsigned char>>(bytes_);
    } else {
      device_->assign(bytes_);
    }
  }
  void* data() const { return device_->data() + offset_ * bytes_of(type_); }

  /// What the device has there now.
  double found(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    return read(device_->values(), matrix, row, column);
  }

  ElementType type() const { return type_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t row_stride() const { return row_stride_; }
  std::int64_t column_stride() const { return column_stride_; }
  std::int64_t batch_stride() const { return batch_stride_; }

  /// Compares what the device has with `expected(matrix, row, column)`, which returns a value and
  /// the error that it may have before rounding, and all other bytes with what they were. What is
  /// wrong first, or nothing.
  template <class Expected>
  std::string error(Expected expected) const {
    const std::vector<unsigned char> found = device_->values();
    std::vector<bool> ours(found.size());
    for (std::int64_t matrix = 0; matrix < batch_; ++matrix) {
      for (std::int64_t row = 0; row < rows_; ++row) {
        for (std::int64_t column = 0; column < columns_; ++column) {
          for (int byte = 0; byte < bytes_of(type_); ++byte) {
            ours[at(matrix, row, column) + static_cast<std::size_t>(byte)] = true;
          }
          const auto [value, margin] = expected(matrix, row, column);
          const double got = read(found, matrix, row, column);
          if (!(std::abs(got - value) <= margin + rounding(std::abs(value) + margin))) {
            return "element [" + std::to_string(row) + "][" + std::to_string(column) +
                   "] of matrix " + std::to_string(matrix) + " is " + std::to_string(got) +
                   ", not " + std::to_string(value);
          }
        }
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!ours[i] && found[i] != bytes_[i]) {
        return "byte " + std::to_string(i) + ", not of the matrix, was overwritten";
      }
    }
    return {};
  }

 private:
  static constexpr std::int64_t tail = 64;
  static constexpr unsigned char poison = 0x7f;  // a NaN of 16 bits; of 32 a large number

  std::size_t index(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(((batch_stride_ == 0 ? 0 : matrix) * rows_ + row) * columns_ +
                                    column);
  }
  std::size_t at(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(
        (offset_ + matrix * batch_stride_ + row * row_stride_ + column * column_stride_) *
        bytes_of(type_));
  }

  double read(const std::vector<unsigned char>& bytes, std::int64_t matrix, std::int64_t row,
              std::int64_t column) const {
    const unsigned char* const place = &bytes[at(matrix, row, column)];
    if (type_ == ElementType::fp32) {
      float number;
      std::memcpy(&number, place, 4);
      return number;
    }
    std::uint16_t bits;
    std::memcpy(&bits, place, 2);
    return type_ == ElementType::fp16 ? __half2float(__ushort_as_half(bits))
                                      : __bfloat162float(__ushort_as_bfloat16(bits));
  }

  /// Half a unit in the last place of numbers up to `magnitude`: 2^-p for p significant bits.
  double rounding(double magnitude) const {
    return type_ == ElementType::fp16   ? std::max(magnitude * 0x1p-11, 0x1p-25)
           : type_ == ElementType::bf16 ? std::max(magnitude * 0x1p-8, 0x1p-134)
                                        : std::max(magnitude * 0x1p-24, 0x1p-150);
  }

  ElementType type_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t batch_;
  std::int64_t offset_;
  std::int64_t row_stride_ = 0;
  std::int64_t column_stride_ = 0;
  std::int64_t batch_stride_ = 0;
  std::vector<unsigned char> bytes_;
  std::vector<double> values_;
  std::unique_ptr<DeviceArray<unsigned char>> device_;
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
