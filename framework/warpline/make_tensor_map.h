// make_tensor_map: host code that describes a matrix to the copy engine, and refuses what would go
// wrong later.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "warpline/isa/tensor_map_encode.h"
#include "warpline/multicast.h"
#include "warpline/tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
constexpr isa::TensorElement tensor_element() {
  using U = std::remove_cv_t<T>;
  static_assert(std::is_same_v<U, __half> || std::is_same_v<U, __nv_bfloat16> ||
                    std::is_same_v<U, float> || std::is_same_v<U, int32_t> ||
                    std::is_same_v<U, uint16_t> || std::is_same_v<U, uint8_t>,
                "tensor maps hold __half, __nv_bfloat16, float, int32_t, uint16_t or uint8_t");
  if constexpr (std::is_same_v<U, __half>) {
    return isa::TensorElement::fp16;
  } else if constexpr (std::is_same_v<U, __nv_bfloat16>) {
    return isa::TensorElement::bf16;
  } else if constexpr (std::is_same_v<U, float>) {
    return isa::TensorElement::fp32;
  } else if constexpr (std::is_same_v<U, int32_t>) {
    return isa::TensorElement::s32;
  } else if constexpr (std::is_same_v<U, uint16_t>) {
    return isa::TensorElement::u16;
  } else {
    return isa::TensorElement::u8;
  }
}

namespace make_tensor_map_detail {

/// Each dimension must step over all that those with smaller strides span; the dimensions may come
/// in any order (the matrices of a batch may be interleaved row by row).
inline void refuse_overlap(const isa::TensorDescription& tensor) {
  uint64_t spanned = tensor.extent[0] * static_cast<uint64_t>(isa::element_bytes(tensor.type));
  bool done[5] = {true, false, false, false, false};
  for (int step = 1; step < tensor.rank; ++step) {
    int next = 0;
    for (int d = 1; d < tensor.rank; ++d) {
      if (!done[d] && (next == 0 || tensor.stride_bytes[d] < tensor.stride_bytes[next])) {
        next = d;
      }
    }
    done[next] = true;
    const uint64_t stride = tensor.stride_bytes[next];
    // A single row may be as wide as it likes, but a map of rank 2 is checked for what it says.
    if (stride < spanned && (tensor.extent[next] > 1 || tensor.rank == 2)) {
      throw Error(tensor.name + ": the stride of dimension " + std::to_string(next) + " is " +
                  std::to_string(stride) + " bytes, less than the " + std::to_string(spanned) +
                  " bytes that it steps over: elements would overlap");
    }
    // Strides below 2^40 and extents below 2^32 can multiply beyond 64 bits.
    if (tensor.extent[next] > 1 && __builtin_mul_overflow(stride, tensor.extent[next], &spanned)) {
      spanned = ~uint64_t{0};
    }
  }
}

}  // namespace make_tensor_map_detail

/// Throws Error for every description that the copy engine cannot take, also those that the driver
/// accepts by mistake (null and host pointers, strides below the row; measured). The rules: CUDA
/// driver API, cuTensorMapEncodeTiled.
inline void check_tensor(const isa::TensorDescription& tensor) {
  const auto refuse = [&](const std::string& what) { throw Error(tensor.name + ": " + what); };
  const auto number = [](auto value) { return std::to_string(value); };
  if (tensor.rank < 1 || tensor.rank > 5) {
    refuse("a tensor map has 1 to 5 dimensions, not " + number(tensor.rank));
  }
  if (tensor.base == nullptr) {
    refuse("its address is null");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.base);
  if (address % 16 != 0) {
    refuse("its address is " + number(address % 16) +
           " bytes past a multiple of 16; the copy engine needs 16-byte alignment");
  }
  const auto element = static_cast<uint64_t>(isa::element_bytes(tensor.type));
  const int span = tensor.swizzle_span;
  if (span != 16 && span != 32 && span != 64 && span != 128) {
    refuse("a swizzle span of " + number(span) + " bytes; there are 16 (none), 32, 64 and 128");
  }
  for (int d = 0; d < tensor.rank; ++d) {
    const std::string dimension = "dimension " + number(d);
    if (tensor.extent[d] == 0 || tensor.extent[d] > (uint64_t{1} << 32) - 1) {
      refuse(dimension + " has " + number(tensor.extent[d]) +
             " elements; 1 to 2^32 - 1 are possible");
    }
    if (tensor.box[d] == 0 || tensor.box[d] > 256) {
      refuse(dimension + " of its box has " + number(tensor.box[d]) +
             " elements; 1 to 256 are possible");
    }
    if (d == 0) {
      continue;
    }
    const uint64_t stride = tensor.stride_bytes[d];
    if (stride % 16 != 0) {
      refuse("the stride of " + dimension + " is " + number(stride) + " bytes (" +
             number(stride / element) + " elements); the copy engine needs a multiple of 16 bytes");
    }
    if (stride >= uint64_t{1} << 40) {
      refuse("the stride of " + dimension + " is " + number(stride) +
             " bytes; the copy engine takes less than 2^40");
    }
  }
  make_tensor_map_detail::refuse_overlap(tensor);
  const uint64_t inner = tensor.box[0] * element;
  if (inner % 16 != 0) {
    refuse("the innermost dimension of its box is " + number(inner) +
           " bytes; it must be a multiple of 16");
  }
  if (span != 16 && inner > static_cast<uint64_t>(span)) {
    refuse("the innermost dimension of its box is " + number(inner) +
           " bytes, more than the swizzle's span of " + number(span));
  }
}

/// The same, with checks, for a tensor of any rank. Boxes and swizzle must then be matched to
/// shared memory by hand; make_tensor_map does it for tiles.
inline isa::TensorMapWords make_tensor_map_words(const isa::TensorDescription& tensor) {
  check_tensor(tensor);
  isa::TensorMapWords map;
  isa::encode_tensor_map(map, tensor);
  return map;
}

/// How a matrix' map is used. Stores need rows of whole 16-byte units: the copy engine clips in
/// those, and would write past the end of shorter rows (measured).
enum class MapUse { load, store };

namespace make_tensor_map_detail {

template <class Tile, int Rank, class T>
TensorMap<Tile, Rank> encoded(const MatrixView<T>& matrix, int64_t batch, int64_t batch_stride,
                              const std::string& name, MapUse use) {
  static_assert(std::is_same_v<std::remove_cv_t<T>, typename Tile::Element>,
                "the matrix and the tile must have the same element type");
  if (matrix.rows < 0 || matrix.columns < 0 || matrix.stride < 0) {
    throw Error(name + ": rows, columns and stride cannot be negative (" +
                std::to_string(matrix.rows) + ", " + std::to_string(matrix.columns) + ", " +
                std::to_string(matrix.stride) + ")");
  }
  // Before anything is multiplied: no product below may wrap.
  constexpr int64_t too_many = int64_t{1} << 40;
  if (matrix.rows >= too_many || matrix.columns >= too_many || matrix.stride >= too_many) {
    throw Error(name + ": rows, columns and stride must be below 2^40 (" +
                std::to_string(matrix.rows) + ", " + std::to_string(matrix.columns) + ", " +
                std::to_string(matrix.stride) + ")");
  }
  isa::TensorDescription tensor;
  tensor.name = name;
  tensor.base = matrix.data;
  tensor.type = tensor_element<T>();
  tensor.extent[0] = static_cast<uint64_t>(matrix.columns);
  tensor.extent[1] = static_cast<uint64_t>(matrix.rows);
  tensor.stride_bytes[1] = static_cast<uint64_t>(matrix.stride) * sizeof(T);
  if constexpr (Rank == 3) {
    if (batch < 1 || batch_stride < 0 || batch_stride >= too_many) {
      throw Error(name + ": a batch of " + std::to_string(batch) + " matrices " +
                  std::to_string(batch_stride) +
                  " elements apart; a batch has 1 or more, 0 to 2^40 - 1 elements apart");
    }
    tensor.rank = 3;
    tensor.extent[2] = static_cast<uint64_t>(batch);
    // With one matrix it is never used, but must be one that the copy engine takes.
    tensor.stride_bytes[2] =
        batch == 1 ? tensor.stride_bytes[1] : static_cast<uint64_t>(batch_stride) * sizeof(T);
  }
  tensor.box[0] = Tile::box_columns;
  if constexpr (is_multicast<Tile>) {
    tensor.box[1] = Tile::share_rows;
  } else {
    tensor.box[1] = Tile::box_rows;
  }
  tensor.swizzle_span = Tile::span_bytes;
  if (use == MapUse::store && matrix.columns * static_cast<int64_t>(sizeof(T)) % 16 != 0) {
    throw Error(
        name + ": its rows are " +
        std::to_string(matrix.columns * static_cast<int64_t>(sizeof(T))) +
        " bytes long; the copy engine stores whole 16-byte units and would write past their end");
  }
  check_tensor(tensor);
  TensorMap<Tile, Rank> map;
  isa::encode_tensor_map(map, tensor);
  return map;
}

}  // namespace make_tensor_map_detail

/// Map of `matrix` in boxes of `Tile` (a SharedTile, or a Multicast of one). `name` is what errors
/// call it. Throws Error if the copy engine cannot take the matrix: address and row stride on 16
/// bytes, extents 1 to 2^32 - 1.
template <class Tile, class T>
TensorMap<Tile> make_tensor_map(const MatrixView<T>& matrix, const std::string& name,
                                MapUse use = MapUse::load) {
  return make_tensor_map_detail::encoded<Tile, 2>(matrix, 1, 0, name, use);
}

/// The same for `batch` matrices whose first elements are `batch_stride` elements apart. A stride
/// of 0 makes a map of one matrix, which all problems of a batch share: its coordinate is always 0.
template <class Tile, class T>
TensorMap<Tile, 3> make_batched_tensor_map(const MatrixView<T>& matrix, int64_t batch,
                                           int64_t batch_stride, const std::string& name,
                                           MapUse use = MapUse::load) {
  return make_tensor_map_detail::encoded<Tile, 3>(matrix, batch_stride == 0 ? 1 : batch,
                                                  batch_stride, name, use);
}

}  // namespace warpline::inline WARPLINE_TARGET
