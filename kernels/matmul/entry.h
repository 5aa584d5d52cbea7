// The host side of a matmul kernel as a line of the catalog: arguments, launch, description.
#pragma once

#include <new>

#include "matmul/catalog.h"
#include "warpline/describe.h"
#include "warpline/make_tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

inline MatrixView<const __half> matmul_operand(const void* data, int64_t rows, int64_t columns,
                                               int64_t stride) {
  return {static_cast<const __half*>(data), rows, columns, stride};
}

inline int tiles_of(int64_t extent, int block) {
  return static_cast<int>((extent + block - 1) / block);
}

template <class Host>
inline constexpr bool takes_raster = false;
template <class Host>
  requires requires { Host::takes_raster; }
inline constexpr bool takes_raster<Host> = Host::takes_raster;

/// `Host` is a kernel's host side:
///
///   struct Host {
///     using Kernel = ...;
///     static constexpr int stages, block_m, block_n, block_k, static_n, static_k;
///     static Kernel::Arguments arguments(const MatmulProblem&);  // M, N, K > 0; throws Error
///     static isa::Index3 grid(const Kernel::Arguments&, const MatmulProblem&);
///     static constexpr bool takes_raster;  // optional
///   };
template <class Host>
struct MatmulEntry {
  using Kernel = typename Host::Kernel;
  using Arguments = typename Kernel::Arguments;

  static void encode(const MatmulProblem& problem, void* memory) {
    isa::require_output_pointer(problem.c, "C");
    // No tensor map may have an extent of zero: with K = 0 no kernel runs.
    new (memory) Arguments(problem.k == 0 ? Arguments{} : Host::arguments(problem));
  }

  static void launch(const MatmulProblem& problem, const MatmulPlace& place, const void* memory) {
    const Stream stream = isa::stream_of(place.stream, place.simulator);
    if (problem.k == 0) {
      constexpr int64_t element = sizeof(__half);
      isa::fill_zero(stream, problem.c, problem.c_stride * element, problem.n * element, problem.m);
      return;
    }
    const auto& arguments = *static_cast<const Arguments*>(memory);
    warpline::launch<Kernel>(stream, Host::grid(arguments, problem), arguments);
  }

  static constexpr MatmulKernel line(const char* name) {
    return {.name = name,
            .stages = Host::stages,
            .block_m = Host::block_m,
            .block_n = Host::block_n,
            .block_k = Host::block_k,
            .static_n = Host::static_n,
            .static_k = Host::static_k,
            .takes_raster = takes_raster<Host>,
            .argument_bytes = sizeof(Arguments),
            .encode = encode,
            .launch = launch,
            .describe = describe<Kernel>};
  }
};

/// Some lines of the catalog, as one unit contributes them.
struct MatmulKernelLines {
  const MatmulKernel* first;
  int count;
};

}  // namespace warpline::inline WARPLINE_TARGET
