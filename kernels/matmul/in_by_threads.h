// How A and B come into a persistent matmul by ordinary loads: where their addresses and strides do
// not suit the copy engine.
#pragma once

#include "matmul/operand_lines.h"
#include "matmul/persistent_schedule.h"
#include "warpline/isa/special_registers.h"
#include "warpline/pipeline_phase.h"

namespace warpline::inline WARPLINE_TARGET {

/// For stages of two tiles of 128 x 64, or of 64 x 64, of which K is contiguous, whatever it is in
/// global memory. `Operands` is a MatmulOperands, whose part of the kernel this takes.
template <class Operands>
struct InByThreads {
  struct Arguments {
    LinesOperand a;
    LinesOperand b;
  };

  /// A thread has 128 registers of loads on their way.
  static constexpr int producer_registers = 184;
  static constexpr int consumer_registers = 160;
  static constexpr bool all_warps_fill = true;
  template <class Producer>
  using Phase = FilledByThreads<Producer>;

  static WARPLINE_DEVICE void prefetch(const Arguments&) {}

  /// One item, by the 128 threads of the producer.
  template <class End>
  static WARPLINE_DEVICE void load(End& end, const Arguments& arguments, const WorkItem& item) {
    static_assert(Operands::block_k == block_k && Operands::block_m == Operands::block_n,
                  "a producer that fills by threads fills square tiles and 64 values of k");
    if constexpr (Vectors::parts == 2) {
      load_halves(end, arguments, item);
    } else {
      load_pairs(end, arguments, item);
    }
  }

 private:
  using Vectors = LineVectors<Operands::block_m>;
  static constexpr int block_k = Vectors::tile_columns;

  /// All loads of a stage first: waits are for every load that is on its way, however few are
  /// needed (the compiler has all loads that outlive a branch counted by one scoreboard).
  template <class End>
  static WARPLINE_DEVICE void load_halves(End& end, const Arguments& arguments,
                                          const WorkItem& item) {
    const uint32_t rank = isa::thread_index() % threads_per_warpgroup;
    Vectors a[2] = {{arguments.a, rank, 0}, {arguments.a, rank, 1}};
    Vectors b[2] = {{arguments.b, rank, 0}, {arguments.b, rank, 1}};
    const int row = Operands::row_of(item);
    const int column = Operands::column_of(item);
    int k = item.k_first * block_k;
    WARPLINE_NO_UNROLL
    for (int left = item.k_tiles; left > 0; --left) {
      a[0].load(row, k, item.matrix);
      a[1].load(row, k, item.matrix);
      b[0].load(column, k, item.matrix);
      b[1].load(column, k, item.matrix);
      auto slot = end.acquire();
      a[0].store(slot->a);
      a[1].store(slot->a);
      b[0].store(slot->b);
      b[1].store(slot->b);
      k += block_k;
    }
  }

  /// Likewise, but for two stages: a small tile is half as many loads.
  template <class End>
  static WARPLINE_DEVICE void load_pairs(End& end, const Arguments& arguments,
                                         const WorkItem& item) {
    const uint32_t rank = isa::thread_index() % threads_per_warpgroup;
    Vectors a[2] = {{arguments.a, rank, 0}, {arguments.a, rank, 0}};
    Vectors b[2] = {{arguments.b, rank, 0}, {arguments.b, rank, 0}};
    const int row = Operands::row_of(item);
    const int column = Operands::column_of(item);
    const auto store = [&](const Vectors& of_a, const Vectors& of_b) {
      auto slot = end.acquire();
      of_a.store(slot->a);
      of_b.store(slot->b);
    };
    int k = item.k_first * block_k;
    WARPLINE_NO_UNROLL
    for (int left = item.k_tiles; left > 0; left -= 2) {
      a[0].load(row, k, item.matrix);
      b[0].load(column, k, item.matrix);
      if (left > 1) {
        a[1].load(row, k + block_k, item.matrix);
        b[1].load(column, k + block_k, item.matrix);
      }
      store(a[0], b[0]);
      if (left > 1) {
        store(a[1], b[1]);
      }
      k += 2 * block_k;
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
