// How D leaves a matmul through an epilogue that is fixed at compile time (epilogue_functions.h).
#pragma once

#include "matmul/accumulator_piece.h"
#include "matmul/epilogue_functions.h"
#include "matmul/step_stores.h"
#include "warpline/isa/opaque.h"

namespace warpline::inline WARPLINE_TARGET {

/// Rounds to `Type` and stores to any address, with any strides, what `Function` makes of an
/// accumulator of `Rows` x `Columns`, or of two; `Piece` columns at a time (out_by_steps.h).
template <class Function, ElementType Type, int Rows, int Columns, int Piece = 64>
struct OutByFunction {
  static constexpr int piece = Columns < Piece ? Columns : Piece;
  static_assert(Columns % piece == 0,
                "the tile's columns must be below a piece's, or a multiple of them");

  struct Arguments {
    int rows;
    int columns;
    float alpha;
    /// Type, address and strides of D.
    EpilogueStep d;
    Function function;
  };
  struct SharedMemory {};

  /// One warpgroup's way out.
  template <class Group>
  class Writer {
    using Sums = Accumulator<Rows, Columns>;

   public:
    WARPLINE_DEVICE Writer(const Arguments& arguments, SharedMemory&, const Group& group, int)
        : arguments_(arguments), rank_(group.thread_rank()) {}

    /// D = function(alpha * sums).
    WARPLINE_DEVICE void operator()(Sums& sums, OutPlace at) {
      scale(sums);
      for_each_piece(at, [&](int which, float(&x)[piece / 2], const auto& place, int matrix) {
        take_piece<piece>(sums, which, x);
        WARPLINE_UNROLL
        for (int i = 0; i < piece / 2; ++i) {
          if (place.inside(i)) {
            x[i] = arguments_.function(x[i], OutElement{place.row(i), place.column(i), matrix});
          }
        }
      });
    }

    /// D = function(alpha * first, alpha * second).
    WARPLINE_DEVICE void operator()(Sums& first, Sums& second, OutPlace at) {
      scale(first);
      scale(second);
      for_each_piece(at, [&](int which, float(&x)[piece / 2], const auto& place, int matrix) {
        float y[piece / 2];
        take_piece<piece>(first, which, x);
        take_piece<piece>(second, which, y);
        WARPLINE_UNROLL
        for (int i = 0; i < piece / 2; ++i) {
          if (place.inside(i)) {
            x[i] =
                arguments_.function(x[i], y[i], OutElement{place.row(i), place.column(i), matrix});
          }
        }
      });
    }

   private:
    WARPLINE_DEVICE void scale(Sums& sums) const {
      sums.change_registers([&](int, float x) { return x * arguments_.alpha; });
    }

    template <class Make>
    WARPLINE_DEVICE void for_each_piece(OutPlace at, Make make) const {
      constexpr int pieces_in_row = Columns / piece;
      WARPLINE_NO_UNROLL
      for (int which = 0; which < Rows / 64 * pieces_in_row; ++which) {
        const uint32_t rank = isa::opaque(rank_);
        const AccumulatorPlace<piece> place({at.row + which / pieces_in_row * 64,
                                             at.column + which % pieces_in_row * piece, at.matrix},
                                            rank, arguments_.rows, arguments_.columns);
        float x[piece / 2];
        make(which, x, place, at.matrix);
        const StepMatrix d(arguments_.d, at.matrix);
        StepStores<piece>(x, place, d)(Type, rank % threads_per_warp);
      }
    }

    const Arguments& arguments_;
    uint32_t rank_;
  };
};

}  // namespace warpline::inline WARPLINE_TARGET
