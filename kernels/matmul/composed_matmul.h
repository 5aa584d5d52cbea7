// Matmuls with an epilogue of the caller's, fixed at compile time: kernels that are instantiated,
// and compiled, in the caller's unit.
//
//   warpline::matmul_with(stream, d, a, b, warpline::then(warpline::ColumnBias{v}, MyFunction{}));
//   warpline::gated_matmul_with(stream, d, a, b, warpline::SwiGlu{});
#pragma once

#include <string>
#include <vector>

#include "matmul/call.h"
#include "matmul/gated.h"
#include "matmul/out_by_function.h"
#include "matmul/persistent_entry.h"
#include "matmul/target.h"

namespace warpline::inline WARPLINE_TARGET {

struct ComposedOptions {
  float alpha = 1;
  std::int64_t batch = 1;
  /// CTAs at most; 0: one for each multiprocessor.
  int max_ctas = 0;
  /// Rows of tiles that are worked on together, for the L2 cache.
  int raster = 8;
};

namespace composed_detail {

/// Checked as warpline::matmul's operands are, and for what a kernel of `Config` needs.
template <class T>
MatmulCall call_of(const Place& place, const MutableMatrix& d, const Matrix& a, const Matrix& b,
                   const PersistentConfig& config, const ComposedOptions& options) {
  const MatmulTarget& target = matmul_target(place);
  const MatmulCall call = checked_call(target, target.device_of(place), d, a, b,
                                       {.alpha = options.alpha,
                                        .batch = options.batch,
                                        .max_ctas = options.max_ctas,
                                        .raster = options.raster});
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) {
      throw Error(what);
    }
  };
  require(a.type == element_type<T>(), std::string("A: its elements are ") + name_of(a.type) +
                                           "; the kernel multiplies " + name_of(element_type<T>()));
  require(a.columns > 0 || call.empty(), "A: it has 0 columns; the kernel needs a K of 1 or more");
  const bool a_along_k = config.a == isa::Major::k;
  const bool b_along_k = config.b == isa::Major::k;
  require((a_along_k ? a.column_stride : a.row_stride) == 1,
          std::string("A's ") + (a_along_k ? "columns" : "rows") +
              " must be 1 element apart for a kernel with this PersistentConfig::a");
  require((b_along_k ? b.row_stride : b.column_stride) == 1,
          std::string("B's ") + (b_along_k ? "rows" : "columns") +
              " must be 1 element apart for a kernel with this PersistentConfig::b");
  return call;
}

/// Of a call whose operands are not arrays of addresses.
inline MatmulTask task_of(const MatmulCall& call, const ComposedOptions& options) {
  const MutableMatrix& d = call.d;
  const Matrix& a = call.a;
  const Matrix& b = call.b;
  return {.m = call.m,
          .n = call.n,
          .k = call.k,
          .batch = call.batch,
          .a = {a.data, a.row_stride, a.column_stride, a.batch_stride},
          .b = {b.data, b.column_stride, b.row_stride, b.batch_stride},
          .d = d.data,
          .d_type = d.type,
          .d_row_stride = d.row_stride,
          .d_column_stride = d.column_stride,
          .d_batch_stride = d.batch_stride,
          .alpha = options.alpha,
          .raster = options.raster,
          .max_ctas = options.max_ctas};
}

/// run(task) for what each launch computes: all problems, or one where they lie anywhere.
template <class Run>
void for_each_launch(const MatmulCall& call, const ComposedOptions& options, Run run) {
  if (call.empty()) {
    return;
  }
  if (!call.one_by_one) {
    run(task_of(call, options));
    return;
  }
  for (std::int64_t problem = 0; problem < call.problems; ++problem) {
    run(task_of(problem_of(call, problem), options));
  }
}

/// Half of the columns of a matrix, or of each in a batch of addresses, which `addresses` keeps.
inline Matrix half_of(const Matrix& matrix, int which, std::int64_t batch,
                      std::vector<const void*>& addresses) {
  Matrix half = matrix;
  half.columns = matrix.columns / 2;
  const std::int64_t bytes = which * half.columns * matrix.column_stride * bytes_of(matrix.type);
  const auto moved = [&](const void* address) -> const void* {
    return address == nullptr ? nullptr : static_cast<const unsigned char*>(address) + bytes;
  };
  half.data = moved(matrix.data);
  if (matrix.addresses != nullptr) {
    for (std::int64_t i = 0; i < batch; ++i) {
      addresses.push_back(moved(matrix.addresses[i]));
    }
    half.addresses = addresses.data();
  }
  return half;
}

template <class Out, class Function>
typename Out::Arguments out_of(const MatmulTask& task, const Function& function) {
  isa::require_output_pointer(task.d, "D");
  return {.rows = static_cast<int>(task.m),
          .columns = static_cast<int>(task.n),
          .alpha = task.alpha,
          .d = {.kind = EpilogueStep::Kind::store,
                .type = task.d_type,
                .data = task.d,
                .row_stride = task.d_row_stride,
                .column_stride = task.d_column_stride,
                .batch_stride = task.d_batch_stride},
          .function = function};
}

}  // namespace composed_detail

inline constexpr PersistentConfig composed_config{
    .block_m = 128, .block_n = 256, .stages = 4, .cluster_m = 1, .cluster_n = 1};
/// Of one of a pair.
inline constexpr PersistentConfig gated_config{
    .block_m = 128, .block_n = 128, .stages = 4, .cluster_m = 1, .cluster_n = 1};

/// D = function(alpha * A * B): A is M x K, B is K x N, D is M x N of type `DType`, any strides and
/// address. A and B are `T`, fp16 or bf16, on 16 bytes with strides of 16 bytes, contiguous along
/// the dimensions that `Config` names (K, unless it says otherwise: A row-major, B column-major).
/// K above 0; with M, N or the batch 0 nothing is launched. Everything is checked as it is for
/// warpline::matmul, whose library of the target the program is linked with. Throws Error; then
/// nothing was launched.
template <class T, ElementType DType, PersistentConfig Config = composed_config, class Function>
void matmul_with(const Place& place, const MutableMatrix& d, const Matrix& a, const Matrix& b,
                 const Function& function, const ComposedOptions& options = {}) {
  using Line = PersistentLine<T, Config, Leave::threads>;
  using Out = OutByFunction<Function, DType, Line::rows, Config.block_n>;
  using Kernel = PersistentMatmul<T, Config, Out>;
  if (d.type != DType) {
    throw Error(std::string("D is ") + name_of(d.type) + "; the kernel stores " + name_of(DType));
  }
  const MatmulCall call = composed_detail::call_of<T>(place, d, a, b, Config, options);
  composed_detail::for_each_launch(call, options, [&](const MatmulTask& task) {
    const auto layout = Line::template layout_of<Kernel>(task);
    const typename Kernel::Arguments arguments{.operands = Line::operands_of(task),
                                               .out = composed_detail::out_of<Out>(task, function),
                                               .schedule = layout.schedule,
                                               .partial = {}};
    launch<Kernel>(isa::stream_of(place.stream(), place.options()),
                   {static_cast<std::uint32_t>(layout.clusters * Config.cluster_m),
                    static_cast<std::uint32_t>(Config.cluster_n), 1},
                   arguments);
  });
}

/// D = function(alpha * A * G, alpha * A * V) where G is B's first half of columns and V is its
/// second half: B is K x 2N, D is M x N. Otherwise as matmul_with; if B is contiguous along N, N is
/// a multiple of 8. `Config` is of one half.
template <class T, ElementType DType, PersistentConfig Config = gated_config, class Function>
void gated_matmul_with(const Place& place, const MutableMatrix& d, const Matrix& a, const Matrix& b,
                       const Function& function, const ComposedOptions& options = {}) {
  using Line = PersistentLine<T, Config, Leave::threads>;
  using Out = OutByFunction<Function, DType, Line::rows, Config.block_n, 32>;
  using Kernel = GatedMatmul<T, Config, Out>;
  if (d.type != DType) {
    throw Error(std::string("D is ") + name_of(d.type) + "; the kernel stores " + name_of(DType));
  }
  if (b.columns % 2 != 0) {
    throw Error("B has " + std::to_string(b.columns) + " columns, which are no pairs");
  }
  const std::int64_t half_columns = b.columns / 2;
  if (Config.b != isa::Major::k && half_columns % 8 != 0) {
    throw Error("half of B's columns are " + std::to_string(half_columns) +
                "; of a B that is contiguous along N they must be a multiple of 8");
  }
  // Each half is checked against D and A; the kernel's B begins with the first.
  MatmulCall call;
  std::vector<const void*> addresses[2];
  for (const int which : {1, 0}) {
    call = composed_detail::call_of<T>(
        place, d, a, composed_detail::half_of(b, which, options.batch, addresses[which]), Config,
        options);
  }
  composed_detail::for_each_launch(call, options, [&](const MatmulTask& task) {
    const auto layout = Line::template layout_of<Kernel>(task);
    MatmulTask both = task;
    both.n = b.columns;
    const typename Kernel::Arguments arguments{.operands = Line::operands_of(both),
                                               .out = composed_detail::out_of<Out>(task, function),
                                               .schedule = layout.schedule,
                                               .half = static_cast<int>(half_columns)};
    launch<Kernel>(isa::stream_of(place.stream(), place.options()),
                   {static_cast<std::uint32_t>(layout.clusters), 1, 1}, arguments);
  });
}

}  // namespace warpline::inline WARPLINE_TARGET
