// The host side of one warp-specialised kernel: arguments, launch, description, as a line of the
// catalog.
#pragma once

#include <new>

#include "matmul/catalog.h"
#include "matmul/warp_specialized.h"
#include "warpline/describe.h"
#include "warpline/make_tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

template <WarpSpecializedConfig Config>
struct WarpSpecializedEntry {
  using Kernel = WarpSpecializedMatmul<Config>;
  using Arguments = typename Kernel::Arguments;

  static void encode(const MatmulProblem& problem, void* memory) {
    auto* arguments = new (memory) Arguments{};
    arguments->c = {static_cast<__half*>(problem.c), problem.m, problem.n, problem.c_stride};
    arguments->k = problem.k;
    isa::require_output_pointer(problem.c, "C");
    const auto n_tiles = (problem.n + Config.block_n - 1) / Config.block_n;
    if (n_tiles > 65535) {
      throw Error("N is " + std::to_string(problem.n) + ": " + std::to_string(n_tiles) +
                  " tiles of " + std::to_string(Config.block_n) +
                  " columns, a grid has at most 65535");
    }
    if (problem.k == 0) {
      return;  // no tensor map may have an extent of zero; launch() fills C with zeros
    }
    const auto view = [](const void* data, int64_t rows, int64_t columns, int64_t stride) {
      return MatrixView<const __half>{static_cast<const __half*>(data), rows, columns, stride};
    };
    arguments->a = make_tensor_map<typename Kernel::ATile>(
        view(problem.a, problem.m, problem.k, problem.a_stride), "A");
    arguments->b = make_tensor_map<typename Kernel::BTile>(
        view(problem.b, problem.n, problem.k, problem.b_stride), "B");
  }

  static void launch(const MatmulProblem& problem, const MatmulPlace& place,
                     const void* arguments) {
    const Stream stream = isa::stream_of(place.stream, place.simulator);
    if (problem.k == 0) {
      constexpr int64_t element = sizeof(__half);
      isa::fill_zero(stream, problem.c, problem.c_stride * element, problem.n * element, problem.m);
      return;
    }
    const auto tiles = [](int64_t extent, int block) {
      return static_cast<uint32_t>((extent + block - 1) / block);
    };
    warpline::launch<Kernel>(
        stream, {tiles(problem.m, Config.block_m), tiles(problem.n, Config.block_n), 1},
        *static_cast<const Arguments*>(arguments));
  }

  static constexpr MatmulKernel entry(const char* name) {
    return {.name = name,
            .stages = Config.stages,
            .block_m = Config.block_m,
            .block_n = Config.block_n,
            .block_k = Config.block_k,
            .static_n = Config.static_n,
            .static_k = Config.static_k,
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
