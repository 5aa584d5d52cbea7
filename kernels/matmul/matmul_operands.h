// The operands of a persistent matmul as the copy engine and the tensor cores see them: tile types
// of a stage, and where in A and B each tile starts.
#pragma once

#include "matmul/line.h"
#include "matmul/persistent_schedule.h"
#include "warpline/mma.h"
#include "warpline/multicast.h"
#include "warpline/pipeline_phase.h"
#include "warpline/tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

struct PersistentConfig {
  int block_m = 128;
  int block_n = 256;
  int block_k = 64;
  int stages = 4;
  /// Cooperative: consumers that share a tile's rows, block_m / warpgroups each, a multiple of 64.
  int warpgroups = 2;
  /// CTAs along M that share B by multicast, and along N that share A.
  int cluster_m = 1;
  int cluster_n = 1;
  /// CTAs that share a tile along K (cluster_split.h); then there is no other sharing.
  int cluster_k = 1;
  /// Which dimension of A and of B is contiguous.
  isa::Major a = isa::Major::k;
  isa::Major b = isa::Major::k;
  /// CTAs that share a multiprocessor: for small tiles, whose loads alone do not keep it busy.
  int ctas_per_sm = 1;
  /// Two consumers with a tile each instead: one stores while the other multiplies.
  bool ping_pong = false;
  /// Fill::threads: 128 x 128 x 64 or 64 x 64 x 64, no cluster; `a` and `b` stay as they are,
  /// whatever is contiguous in global memory (in_by_threads.h).
  Fill fill = Fill::copies;
};

/// `T` is the type of A and B.
template <class T, PersistentConfig Config>
struct MatmulOperands {
  static constexpr int block_m = Config.block_m;
  static constexpr int block_n = Config.block_n;
  static constexpr int block_k = Config.block_k;
  static constexpr bool a_k_major = Config.a == isa::Major::k;
  static constexpr bool b_k_major = Config.b == isa::Major::k;
  static_assert(Config.cluster_k == 1 || (Config.cluster_m == 1 && Config.cluster_n == 1),
                "CTAs of a cluster share a tile along K, or neighbouring tiles' operands");
  static constexpr ClusterShape cluster{Config.cluster_m * Config.cluster_k, Config.cluster_n};

  template <isa::Major M, int Extent, ClusterAxis Axis, int Ctas>
  using OperandTile =
      SharedAlong<std::conditional_t<M == isa::Major::k, SharedTile<T, Extent, block_k>,
                                     SharedTile<T, block_k, Extent>>,
                  Axis, Ctas>;
  using ATile = OperandTile<Config.a, block_m, ClusterAxis::y, Config.cluster_n>;
  using BTile = OperandTile<Config.b, block_n, ClusterAxis::x, Config.cluster_m>;
  struct Stage {
    ATile a;
    BTile b;
  };
  static constexpr MmaOptions mma_options{.a = Config.a, .b = Config.b};

  struct Arguments {
    TensorMap<ATile, 3> a;
    TensorMap<BTile, 3> b;
    /// 0 where all problems of a batch share an operand.
    int a_matrices;
    int b_matrices;
  };

  /// How a kernel fills its stages by copies: one thread issues, its warp stays with it.
  template <class Producer>
  using Phase = FilledByCopies<Producer>;
  static constexpr int producer_registers = 24;
  static constexpr int consumer_registers = 240;
  static constexpr bool all_warps_fill = false;

  /// Asks for the maps ahead of their first use. Not by the thread that prepares barriers.
  static WARPLINE_DEVICE void prefetch(const Arguments& arguments) {
    if (isa::thread_index() == threads_per_warp) {
      isa::prefetch_tensor_map(arguments.a);
      isa::prefetch_tensor_map(arguments.b);
    }
  }

  /// This CTA's place in its cluster. A CTA alone does not ask: the answer would take registers.
  static WARPLINE_DEVICE isa::Index3 cluster_place() {
    if constexpr (cluster.size() > 1) {
      return isa::cluster_cta_index();
    } else {
      return {0, 0, 0};
    }
  }
  static WARPLINE_DEVICE int cluster_rank() {
    return cluster.size() > 1 ? static_cast<int>(isa::cluster_cta_rank()) : 0;
  }

  /// First row and column, in D, of this CTA's part of a cluster's tile.
  static WARPLINE_DEVICE int row_of(const WorkItem& item) {
    if constexpr (Config.cluster_k > 1) {
      return item.tile.m * block_m;
    } else {
      return (item.tile.m * Config.cluster_m + static_cast<int>(cluster_place().x)) * block_m;
    }
  }
  static WARPLINE_DEVICE int column_of(const WorkItem& item) {
    return (item.tile.n * Config.cluster_n + static_cast<int>(cluster_place().y)) * block_n;
  }

  /// The producer's part of one item: every k tile of A and B into the next stages of the ring.
  template <class End>
  static WARPLINE_DEVICE void load(End& end, const Arguments& arguments, const WorkItem& item) {
    const int row = row_of(item);
    const int column = column_of(item);
    const int a_matrix = item.matrix * arguments.a_matrices;
    const int b_matrix = item.matrix * arguments.b_matrices;
    int k = item.k_first * block_k;
    for (auto slot : end.fill(item.k_tiles)) {
      slot.load(slot->a, arguments.a,
                a_k_major ? Coordinate{row, k, a_matrix} : Coordinate{k, row, a_matrix});
      slot.load(slot->b, arguments.b,
                b_k_major ? Coordinate{column, k, b_matrix} : Coordinate{k, column, b_matrix});
      k += block_k;
    }
  }

  /// Small tiles have few multiplies between two barriers: there, stages that are constants are
  /// worth half a percent, unless they are many. Larger tiles were up to 1 % faster with a plain
  /// loop, and compile in half of the time (docs/measurements.md, 2026-11-30).
  static constexpr bool unrolled_by_stages = block_m * block_n <= 64 * 128 && Config.stages <= 8;

  /// The consumer's loop over an item's k tiles.
  template <class End, class Body>
  static WARPLINE_DEVICE void for_each_slot(End& end, int k_tiles, Body body) {
    if constexpr (unrolled_by_stages) {
      end.read(k_tiles, body);
    } else {
      for (auto slot : end.read(k_tiles)) {
        body(slot);
      }
    }
  }

  /// `Rows` rows of a tile of A, from `begin` on.
  template <int Rows>
  static WARPLINE_DEVICE auto a_rows(const ATile& tile, int begin) {
    if constexpr (a_k_major) {
      return tile.template row_slice<Rows>(begin);
    } else {
      return tile.template column_slice<Rows>(begin);
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
