// What the kernel of the backward pass is given, and what its producer loads into which stage.
#pragma once

#include "normalization/norm_backward_arguments.h"
#include "normalization/norm_backward_config.h"
#include "rows/row_loader.h"
#include "warpline/isa/cluster.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct NormBackwardRows {
  /// h, dy, and dsum if there is one.
  RowInput<T> in[norm_backward_inputs];
  int64_t rows;
  int columns;
  int inputs;
  /// Whether T of 16 bits stands for bf16.
  bool bf16;
  /// Whether the rows of a stage follow on each other in memory, in each input.
  bool contiguous;
  /// Columns of one CTA of the cluster.
  int part;
  /// Rows of a stage, elements from one to the next, and from an input's first to the next input's.
  int rows_per_stage;
  int pitch;
  int plane;
  NormBackwardArguments op;

  template <int Cluster>
  WARPLINE_DEVICE int64_t first_row() const {
    return int64_t{isa::block_index().x / static_cast<uint32_t>(Cluster)} * rows_per_stage;
  }
  template <int Cluster>
  WARPLINE_DEVICE int64_t row_step() const {
    return int64_t{isa::grid_size().x / static_cast<uint32_t>(Cluster)} * rows_per_stage;
  }
  /// Of the stage that begins with row `first`.
  WARPLINE_DEVICE int rows_of_stage(int64_t first) const {
    const int64_t left = rows - first;
    return left < rows_per_stage ? static_cast<int>(left) : rows_per_stage;
  }
  /// The first column of this CTA's part, and how many there are.
  template <int Cluster>
  WARPLINE_DEVICE int first_column() const {
    return Cluster == 1 ? 0 : static_cast<int>(isa::cluster_cta_rank()) * part;
  }
  WARPLINE_DEVICE int columns_from(int first_column) const {
    const int left = columns - first_column;
    return left < 0 ? 0 : left < part ? left : part;
  }
};

template <class Kernel, class End>
WARPLINE_DEVICE void load_norm_rows(const typename Kernel::Arguments& arguments, End& end) {
  const int first_column = arguments.template first_column<Kernel::cluster>();
  const int columns = arguments.columns_from(first_column);
  const NormBackwardArguments& op = arguments.op;
  const RowInput<float> rstd{op.rstd, 1, op.rstd, op.rstd + arguments.rows};
  const RowInput<float> mean{op.mean, 1, op.mean, op.mean + arguments.rows};
  for (int64_t first = arguments.template first_row<Kernel::cluster>(); first < arguments.rows;
       first += arguments.template row_step<Kernel::cluster>()) {
    const int rows = arguments.rows_of_stage(first);
    const int stretches = arguments.contiguous ? 1 : rows;
    const int count = columns * (arguments.contiguous ? rows : 1);
    auto slot = end.acquire();
    load_stretch(slot, slot->rstd, 0, op.rstd + first, rows, rstd);
    if (op.layer) {
      load_stretch(slot, slot->mean, 0, op.mean + first, rows, mean);
    }
    WARPLINE_NO_UNROLL
    for (int i = 0; i < arguments.inputs; ++i) {
      const auto& input = arguments.in[i];
      WARPLINE_NO_UNROLL
      for (int r = 0; r < stretches && count > 0; ++r) {
        load_stretch(slot, slot->elements, i * arguments.plane + r * arguments.pitch,
                     input.row(first + r) + first_column, count, input);
      }
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
