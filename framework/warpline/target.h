// Which of the two targets this unit is compiled for, and the only markers that user code needs.
//
//   WARPLINE_DEVICE   before every function that runs inside a kernel
//   WARPLINE_TARGET   `namespace mine::inline WARPLINE_TARGET { ... }` around kernels and what they
//                     call. nvcc and g++ compile the same source into different code, and two
//                     functions of one name would be merged by the linker: whichever came first
//                     would run on both targets. The inline namespace gives them different names
//                     without a reader noticing.
#pragma once

#ifndef WARPLINE_TRACE
#define WARPLINE_TRACE 0
#endif

#if defined(__CUDACC__)
#define WARPLINE_ON_GPU 1
#if WARPLINE_TRACE
#define WARPLINE_TARGET gpu_traced  // kernels with and without timelines can be in one program
#else
#define WARPLINE_TARGET gpu
#endif
#define WARPLINE_DEVICE __device__ __forceinline__
#define WARPLINE_HOST_DEVICE __host__ __device__ __forceinline__
#define WARPLINE_UNROLL _Pragma("unroll")
#define WARPLINE_NO_UNROLL _Pragma("unroll 1")
#else
#define WARPLINE_ON_GPU 0
#define WARPLINE_TARGET sim
#define WARPLINE_DEVICE inline
#define WARPLINE_HOST_DEVICE inline
#define WARPLINE_UNROLL
#define WARPLINE_NO_UNROLL
#endif

#ifndef WARPLINE_CHECKED
#define WARPLINE_CHECKED 0
#endif

namespace warpline::inline WARPLINE_TARGET {

inline constexpr bool on_gpu = WARPLINE_ON_GPU != 0;

/// Device waits are bounded and report who waited for what (CMake option WARPLINE_CHECKED).
inline constexpr bool checked = WARPLINE_CHECKED != 0;

/// Kernels record their timeline (CMake option WARPLINE_TRACE); the simulator's always can.
inline constexpr bool traced = WARPLINE_TRACE != 0;

inline constexpr int threads_per_warp = 32;
inline constexpr int warps_per_warpgroup = 4;
inline constexpr int threads_per_warpgroup = threads_per_warp * warps_per_warpgroup;

}  // namespace warpline::inline WARPLINE_TARGET
