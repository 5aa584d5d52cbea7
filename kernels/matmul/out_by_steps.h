// How D leaves a persistent matmul through an epilogue composed at run time: piece by piece of the
// accumulator, each piece through all steps, of which storing D is the last.
#pragma once

#include "matmul/accumulator_piece.h"
#include "matmul/step_passes.h"
#include "warpline/isa/opaque.h"

namespace warpline::inline WARPLINE_TARGET {

/// For an accumulator of `Rows` x `Columns` in each of some warpgroups. `Piece` columns at a time:
/// twice as many operands are in flight with 64 as with 32, which takes 24 registers less.
template <int Rows, int Columns, int Piece = 64>
struct OutBySteps {
  /// Columns of a piece. Code of the steps is made for one piece, and pieces are a loop: unrolled
  /// over an accumulator of 64 x 128 it took 8 s to compile and more than 240 registers.
  static constexpr int piece = Columns < Piece ? Columns : Piece;
  static_assert(Columns % piece == 0,
                "the tile's columns must be below a piece's, or a multiple of them");

  struct Arguments {
    int rows;
    int columns;
    float alpha;
    int steps;
    /// The call's, and the store of D.
    EpilogueStep step[max_epilogue_steps + 1];
  };
  struct SharedMemory {};

  /// One warpgroup's way out.
  template <class Group>
  class Writer {
   public:
    WARPLINE_DEVICE Writer(const Arguments& arguments, SharedMemory&, const Group& group, int)
        : arguments_(arguments), rank_(group.thread_rank()) {}

    WARPLINE_DEVICE void operator()(Accumulator<Rows, Columns>& sums, OutPlace at) {
      constexpr int pieces_in_row = Columns / piece;
      sums.change_registers([&](int, float x) { return x * arguments_.alpha; });
      WARPLINE_NO_UNROLL
      for (int i = 0; i < Rows / 64 * pieces_in_row; ++i) {
        float x[piece / 2];
        take_piece<piece>(sums, i, x);
        const OutPlace first{at.row + i / pieces_in_row * 64, at.column + i % pieces_in_row * piece,
                             at.matrix};
        WARPLINE_NO_UNROLL
        for (int step = 0; step < arguments_.steps; ++step) {
          // Or the compiler finds out before the loop which elements are inside of D.
          const uint32_t rank = isa::opaque(rank_);
          const AccumulatorPlace<piece> place(first, rank, arguments_.rows, arguments_.columns);
          StepPasses<piece>(x, place, at.matrix, rank % threads_per_warp)
              .apply(arguments_.step[step]);
        }
      }
    }

   private:
    const Arguments& arguments_;
    uint32_t rank_;
  };
};

}  // namespace warpline::inline WARPLINE_TARGET
