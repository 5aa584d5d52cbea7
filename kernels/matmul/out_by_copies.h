// How D leaves a persistent matmul by the copy engine: rounded, through store buffers in shared
// memory, while the next tile is already multiplied.
#pragma once

#include "matmul/accumulator_place.h"
#include "warpline/store_ring.h"
#include "warpline/tensor_map.h"
#include "warpline/tile_store.h"

namespace warpline::inline WARPLINE_TARGET {

/// `T` is D's 16-bit type; `Transposed` if the contiguous dimension of D is the kernel's M. For an
/// accumulator of `Rows` x `Columns` in each of `Warpgroups`.
template <class T, bool Transposed, int Warpgroups, int Rows, int Columns>
struct OutByCopies {
  /// Columns of the accumulator that one buffer takes.
  static constexpr int piece = Columns < 64        ? Columns
                               : Columns % 64 == 0 ? 64
                               : Columns % 32 == 0 ? 32
                                                   : 16;
  static_assert(Columns % piece == 0, "the tile's columns must be below 64, or a multiple of 16");
  using Tile = std::conditional_t<Transposed, SharedTile<T, piece, 64>, SharedTile<T, 64, piece>>;
  static constexpr int buffers = 2;

  struct Arguments {
    TensorMap<Tile, 3> d;
    float alpha;
  };
  struct SharedMemory {
    Tile buffer[Warpgroups][buffers];
  };

  /// One warpgroup's way out.
  template <class Group>
  class Writer {
   public:
    WARPLINE_DEVICE Writer(const Arguments& arguments, SharedMemory& shared, const Group& group,
                           int share)
        : arguments_(arguments), ring_(shared.buffer[share], group), rank_(group.thread_rank()) {}

    WARPLINE_DEVICE void operator()(Accumulator<Rows, Columns>& accumulator, OutPlace at) {
      if (arguments_.alpha != 1.0f) {
        accumulator.change_registers([&](int, float value) { return value * arguments_.alpha; });
      }
      static_for<0, Rows / 64>([&](auto block) {
        constexpr int row = decltype(block)::value * 64;
        static_for<0, Columns / piece>([&](auto index) {
          constexpr int column = decltype(index)::value * piece;
          Tile& tile = ring_.acquire();
          if constexpr (Transposed) {
            write_tile_transposed<column, row>(tile, accumulator, rank_);
            ring_.store(arguments_.d,
                        {.row = at.column + column, .column = at.row + row, .matrix = at.matrix});
          } else {
            write_tile<column, row>(tile, accumulator, rank_);
            ring_.store(arguments_.d,
                        {.row = at.row + row, .column = at.column + column, .matrix = at.matrix});
          }
        });
      });
    }

   private:
    const Arguments& arguments_;
    StoreRing<Tile, buffers, Group> ring_;
    uint32_t rank_;
  };
};

}  // namespace warpline::inline WARPLINE_TARGET
