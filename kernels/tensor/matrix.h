// Operands of the kernels that people call: addresses with an element type known at run time,
// extents and strides. Knows neither target.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace warpline {

enum class ElementType : std::uint8_t { fp16, bf16, fp32, int32 };

constexpr int bytes_of(ElementType type) {
  return type == ElementType::fp32 || type == ElementType::int32 ? 4 : 2;
}

constexpr const char* name_of(ElementType type) {
  constexpr const char* names[] = {"fp16", "bf16", "fp32", "int32"};
  return names[static_cast<int>(type)];
}

template <class T>
constexpr ElementType element_type() {
  using U = std::remove_cv_t<T>;
  static_assert(std::is_same_v<U, __half> || std::is_same_v<U, __nv_bfloat16> ||
                    std::is_same_v<U, float> || std::is_same_v<U, std::int32_t>,
                "matrices hold __half, __nv_bfloat16, float or std::int32_t");
  return std::is_same_v<U, __half>          ? ElementType::fp16
         : std::is_same_v<U, __nv_bfloat16> ? ElementType::bf16
         : std::is_same_v<U, float>         ? ElementType::fp32
                                            : ElementType::int32;
}

/// What cuda::std::mdspan and std::mdspan of two dimensions offer; neither header is needed here.
template <class View>
concept MatrixLikeMdspan = requires(const View& view) {
  typename View::element_type;
  view.data_handle();
  view.extent(0);
  view.stride(0);
} && View::rank() == 2;

/// Element (r, c) of matrix b of a batch is data[b * batch_stride + r * row_stride + c *
/// column_stride]; strides in elements. `Pointer` is `const void*` for inputs, `void*` for outputs.
template <class Pointer>
struct BasicMatrix {
  Pointer data = nullptr;
  ElementType type = ElementType::fp16;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;
  /// 0: every problem of a batch uses the same matrix.
  std::int64_t batch_stride = 0;
  /// Instead of `data` and `batch_stride`: the address of each matrix of a batch, in an array in
  /// host memory that is read during the call.
  const Pointer* addresses = nullptr;

  BasicMatrix() = default;
  BasicMatrix(Pointer address, ElementType element, std::int64_t row_count,
              std::int64_t column_count, std::int64_t by_row, std::int64_t by_column = 1,
              std::int64_t by_matrix = 0)
      : data(address),
        type(element),
        rows(row_count),
        columns(column_count),
        row_stride(by_row),
        column_stride(by_column),
        batch_stride(by_matrix) {}

  /// An input is made of an output, too.
  template <class Other>
    requires std::is_convertible_v<Other, Pointer>
  BasicMatrix(const BasicMatrix<Other>& other)  // NOLINT(google-explicit-constructor)
      : BasicMatrix(other.data, other.type, other.rows, other.columns, other.row_stride,
                    other.column_stride, other.batch_stride) {
    addresses = other.addresses;
  }

  template <MatrixLikeMdspan View>
  BasicMatrix(const View& view)  // NOLINT(google-explicit-constructor)
      : BasicMatrix(
            view.data_handle(), element_type<typename View::element_type>(),
            static_cast<std::int64_t>(view.extent(0)), static_cast<std::int64_t>(view.extent(1)),
            static_cast<std::int64_t>(view.stride(0)), static_cast<std::int64_t>(view.stride(1))) {}

  /// The same memory, rows for columns.
  BasicMatrix transposed() const {
    BasicMatrix result = *this;
    std::swap(result.rows, result.columns);
    std::swap(result.row_stride, result.column_stride);
    return result;
  }
  /// The first of a batch of matrices `stride` elements apart.
  BasicMatrix in_batch(std::int64_t stride) const {
    BasicMatrix result = *this;
    result.batch_stride = stride;
    return result;
  }
  /// One of a batch of matrices of these extents and strides at any addresses: an array in host
  /// memory, of as many as the batch has problems.
  BasicMatrix at(const Pointer* matrix_addresses) const {
    BasicMatrix result = *this;
    result.addresses = matrix_addresses;
    return result;
  }
};

using Matrix = BasicMatrix<const void*>;
using MutableMatrix = BasicMatrix<void*>;

/// `rows` x `columns` elements, rows contiguous and one after the other; or `stride` elements from
/// row to row.
template <class T>
auto row_major(T* data, std::int64_t rows, std::int64_t columns, std::int64_t stride = -1) {
  using Pointer = std::conditional_t<std::is_const_v<T>, const void*, void*>;
  return BasicMatrix<Pointer>(data, element_type<T>(), rows, columns,
                              stride < 0 ? columns : stride);
}

/// The same with contiguous columns; `stride` elements from column to column.
template <class T>
auto column_major(T* data, std::int64_t rows, std::int64_t columns, std::int64_t stride = -1) {
  using Pointer = std::conditional_t<std::is_const_v<T>, const void*, void*>;
  return BasicMatrix<Pointer>(data, element_type<T>(), rows, columns, 1,
                              stride < 0 ? rows : stride);
}

}  // namespace warpline
