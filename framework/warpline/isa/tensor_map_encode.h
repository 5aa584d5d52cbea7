// Turning the description of a tensor into what the target's copy engine reads. Host code.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "warpline/error.h"
#include "warpline/isa/tensor_copy.h"

#if WARPLINE_ON_GPU
#include <cuda.h>
#include <cuda_runtime.h>

#include "warpline/isa/launch_grid.h"
#else
#include "simulator/tensor_map.h"
#endif

namespace warpline::inline WARPLINE_TARGET::isa {

enum class TensorElement { u8, u16, s32, fp16, bf16, fp32 };

constexpr int element_bytes(TensorElement type) {
  return type == TensorElement::u8                                   ? 1
         : type == TensorElement::s32 || type == TensorElement::fp32 ? 4
                                                                     : 2;
}

/// A tensor and its box, innermost dimension first.
struct TensorDescription {
  std::string name = "tensor";  ///< the operand, as error messages call it
  const void* base = nullptr;
  TensorElement type = TensorElement::fp16;
  int rank = 2;
  uint64_t extent[5] = {1, 1, 1, 1, 1};        ///< elements
  uint64_t stride_bytes[5] = {0, 0, 0, 0, 0};  ///< of dimension 1 and up; [0] is not used
  uint32_t box[5] = {1, 1, 1, 1, 1};           ///< elements
  int swizzle_span = 16;                       ///< bytes: 16 (none), 32, 64, 128
};

#if WARPLINE_ON_GPU

inline void encode_tensor_map(TensorMapWords& map, const TensorDescription& tensor) {
  require_hopper();
  require_no_pending_error();
  require_device_pointer(tensor.base, tensor.name);
  static const auto encode = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    check_cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                cudaEnableDefault, &found),
               "cannot reach the driver's cuTensorMapEncodeTiled");
    if (found != cudaDriverEntryPointSuccess || entry == nullptr) {
      throw Error("the GPU's driver has no cuTensorMapEncodeTiled: it is older than CUDA 12.0");
    }
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
  }();
  constexpr CUtensorMapDataType types[] = {
      CU_TENSOR_MAP_DATA_TYPE_UINT8,    CU_TENSOR_MAP_DATA_TYPE_UINT16,
      CU_TENSOR_MAP_DATA_TYPE_INT32,    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
      CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32};
  const CUtensorMapSwizzle swizzle = tensor.swizzle_span == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                     : tensor.swizzle_span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : tensor.swizzle_span == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                                 : CU_TENSOR_MAP_SWIZZLE_NONE;
  const uint32_t element_strides[5] = {1, 1, 1, 1, 1};
  static_assert(sizeof(TensorMapWords) == sizeof(CUtensorMap));
  // 256-byte L2 promotion: neighbouring boxes of a row are wanted soon.
  const CUresult status =
      encode(reinterpret_cast<CUtensorMap*>(&map), types[static_cast<int>(tensor.type)],
             static_cast<uint32_t>(tensor.rank), const_cast<void*>(tensor.base), tensor.extent,
             tensor.stride_bytes + 1, tensor.box, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
             swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw Error(tensor.name + ": the driver refused its tensor map (CUresult " +
                std::to_string(status) + ")");
  }
}

#else

inline void encode_tensor_map(TensorMapWords& map, const TensorDescription& tensor) {
  simulator::TensorMapData data;
  data.magic = simulator::TensorMapData::valid;
  data.rank = static_cast<uint8_t>(tensor.rank);
  data.element_bytes = static_cast<uint8_t>(element_bytes(tensor.type));
  data.span_bytes = static_cast<uint16_t>(tensor.swizzle_span);
  data.base = static_cast<unsigned char*>(const_cast<void*>(tensor.base));
  for (int d = 0; d < 5; ++d) {
    data.extent[d] = tensor.extent[d];
    data.stride[d] = d == 0 ? data.element_bytes : tensor.stride_bytes[d];
    data.box[d] = static_cast<uint16_t>(tensor.box[d]);
  }
  std::memcpy(&map, &data, sizeof data);
}

#endif

}  // namespace warpline::inline WARPLINE_TARGET::isa
