// Matmuls with an epilogue of the caller's, fixed at compile time: kernels that are instantiated,
// and compiled, in the caller's unit.
//
//   warpline::matmul_with(stream, d, a, b, warpline::then(warpline::ColumnBias{v}, MyFunction{}));
//   warpline::gated_matmul_with(stream, d, a, b, warpline::SwiGlu{});
#pragma once

#include <string>

#include "matmul/gated.h"
#include "matmul/out_by_function.h"
#include "matmul/persistent_entry.h"

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

/// What the matrices have in common, checked. D has `columns` columns.
template <class T>
MatmulTask task_of(const MutableMatrix& d, const Matrix& a, const Matrix& b, std::int64_t columns,
                   const PersistentConfig& config, const ComposedOptions& options) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) {
      throw Error(what);
    }
  };
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  require(a.type == element_type<T>() && b.type == element_type<T>(),
          std::string("A is ") + name_of(a.type) + " and B is " + name_of(b.type) +
              "; the kernel multiplies " + name_of(element_type<T>()));
  require(b.rows == a.columns, "B has " + text(b.rows) + " rows; A has " + text(a.columns) +
                                   " columns, and they must be equal");
  require(d.rows == a.rows && d.columns == columns, "D is " + text(d.rows) + " x " +
                                                        text(d.columns) + ", not " + text(a.rows) +
                                                        " x " + text(columns));
  require(options.batch >= 0, "the batch is " + text(options.batch) + ", below 0");
  const bool a_along_k = config.a == isa::Major::k;
  const bool b_along_k = config.b == isa::Major::k;
  require((a_along_k ? a.column_stride : a.row_stride) == 1,
          std::string("A's ") + (a_along_k ? "columns" : "rows") +
              " must be 1 element apart for a kernel with this PersistentConfig::a");
  require((b_along_k ? b.row_stride : b.column_stride) == 1,
          std::string("B's ") + (b_along_k ? "rows" : "columns") +
              " must be 1 element apart for a kernel with this PersistentConfig::b");
  return {.m = d.rows,
          .n = columns,
          .k = a.columns,
          .batch = options.batch,
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
/// M, N, K and batch above 0. Throws Error; then nothing was launched.
template <class T, ElementType DType, PersistentConfig Config = composed_config, class Function>
void matmul_with(const Place& place, const MutableMatrix& d, const Matrix& a, const Matrix& b,
                 const Function& function, const ComposedOptions& options = {}) {
  using Line = PersistentLine<T, Config, Leave::threads>;
  using Out = OutByFunction<Function, DType, Line::rows, Config.block_n>;
  using Kernel = PersistentMatmul<T, Config, Out>;
  if (d.type != DType) {
    throw Error(std::string("D is ") + name_of(d.type) + "; the kernel stores " + name_of(DType));
  }
  const MatmulTask task = composed_detail::task_of<T>(d, a, b, b.columns, Config, options);
  const auto layout = Line::template layout_of<Kernel>(task);
  const typename Kernel::Arguments arguments{.operands = Line::operands_of(task),
                                             .out = composed_detail::out_of<Out>(task, function),
                                             .schedule = layout.schedule,
                                             .partial = {}};
  launch<Kernel>(isa::stream_of(place.stream(), place.options()),
                 {static_cast<std::uint32_t>(layout.clusters * Config.cluster_m),
                  static_cast<std::uint32_t>(Config.cluster_n), 1},
                 arguments);
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
  const MatmulTask task = composed_detail::task_of<T>(d, a, b, half_columns, Config, options);
  const auto layout = Line::template layout_of<Kernel>(task);
  MatmulTask both = task;
  both.n = b.columns;
  const typename Kernel::Arguments arguments{.operands = Line::operands_of(both),
                                             .out = composed_detail::out_of<Out>(task, function),
                                             .schedule = layout.schedule,
                                             .half = static_cast<int>(half_columns)};
  launch<Kernel>(isa::stream_of(place.stream(), place.options()),
                 {static_cast<std::uint32_t>(layout.clusters), 1, 1}, arguments);
}

}  // namespace warpline::inline WARPLINE_TARGET
