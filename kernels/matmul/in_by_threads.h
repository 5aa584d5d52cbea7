// How A and B come into a persistent matmul by ordinary loads: where their addresses and strides do
// not suit the copy engine.
#pragma once

#include "matmul/operand_lines.h"
#include "matmul/persistent_schedule.h"
#include "warpline/isa/special_registers.h"
#include "warpline/pipeline_phase.h"

namespace warpline::inline WARPLINE_TARGET {

/// For tiles of 128 x 64 of which K is contiguous, whatever it is in global memory. `Operands` is a
/// MatmulOperands, whose part of the kernel this takes.
template <class Operands>
struct InByThreads {
  struct Arguments {
    LinesOperand a;
    LinesOperand b;
  };

  /// A thread keeps up to 96 registers of loads in flight.
  static constexpr int producer_registers = 200;
  static constexpr int consumer_registers = 152;
  static constexpr bool all_warps_fill = true;
  template <class Producer>
  using Phase = FilledByThreads<Producer>;

  static WARPLINE_DEVICE void prefetch(const Arguments&) {}

  /// One item, by the 128 threads of the producer. While one half of a tile is stored, up to three
  /// others are being loaded.
  template <class End>
  static WARPLINE_DEVICE void load(End& end, const Arguments& arguments, const WorkItem& item) {
    constexpr int block_k = LineVectors::tile_columns;
    static_assert(Operands::block_k == block_k && Operands::block_m == LineVectors::tile_rows &&
                      Operands::block_n == LineVectors::tile_rows,
                  "a producer that fills by threads fills tiles of 128 x 128 x 64");
    const uint32_t rank = isa::thread_index() % threads_per_warpgroup;
    LineVectors a[2] = {{arguments.a, rank, 0}, {arguments.a, rank, 1}};
    LineVectors b[2] = {{arguments.b, rank, 0}, {arguments.b, rank, 1}};
    const int row = Operands::row_of(item);
    const int column = Operands::column_of(item);
    int k = item.k_first * block_k;
    a[0].load(row, k, item.matrix);
    a[1].load(row, k, item.matrix);
    WARPLINE_NO_UNROLL
    for (int left = item.k_tiles; left > 0; --left) {
      const int next_k = k + block_k;
      b[0].load(column, k, item.matrix);
      auto slot = end.acquire();
      a[0].store(slot->a);
      b[1].load(column, k, item.matrix);
      a[1].store(slot->a);
      if (left > 1) {
        a[0].load(row, next_k, item.matrix);
      }
      b[0].store(slot->b);
      if (left > 1) {
        a[1].load(row, next_k, item.matrix);
      }
      b[1].store(slot->b);
      k = next_k;
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
