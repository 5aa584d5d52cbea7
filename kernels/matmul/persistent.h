// D = alpha * A * B^T, persistent and warp-specialised: the family behind warpline::matmul. The
// consumer warpgroups share a tile's rows, the CTAs of a cluster share loads by multicast, a tile's
// stores overlap the next tile's multiplies, and K may be cut for tiles that would leave
// multiprocessors idle.
//
//   role       warps           registers   does
//   consumer   4 x warpgroups  240         its rows of the tile: multiplies, keeping one multiply in
//                                          flight; leaves or gathers partial sums; hands D to `Out`
//   producer   4               24          one thread loads this CTA's share of A and B
//
//   barrier        arrivals                               completed by
//   full[stage]    1, and the bytes of both tiles         the copy engines of the cluster
//   empty[stage]   consumer warps of each CTA that loads  the consumers, after the wait for the next
//                  into this one's stages                 multiply
//
//   shared memory   stages x (A block_m x block_k, B block_n x block_k), and what `Out` needs
#pragma once

#include "matmul/accumulator_place.h"
#include "matmul/partial_sums.h"
#include "matmul/persistent_schedule.h"
#include "warpline/deferred_release.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/mma.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

struct PersistentConfig {
  int block_m = 128;
  int block_n = 256;
  int block_k = 64;
  int stages = 4;
  /// Consumers: each takes block_m / warpgroups rows, a multiple of 64.
  int warpgroups = 2;
  /// CTAs along M that share B by multicast, and along N that share A.
  int cluster_m = 1;
  int cluster_n = 1;
  /// Which dimension of A and of B is contiguous.
  isa::Major a = isa::Major::k;
  isa::Major b = isa::Major::k;
};

/// `T` is the type of A and B. `Out` takes the finished accumulators (out_by_copies.h,
/// out_by_steps.h).
template <class T, PersistentConfig Config, class Out>
struct PersistentMatmul {
  static constexpr int block_m = Config.block_m;
  static constexpr int block_n = Config.block_n;
  static constexpr int block_k = Config.block_k;
  static constexpr int rows = block_m / Config.warpgroups;
  static_assert(rows % 64 == 0 && block_m % Config.warpgroups == 0,
                "each consumer warpgroup takes a multiple of 64 rows of the tile");

  static constexpr bool a_k_major = Config.a == isa::Major::k;
  static constexpr bool b_k_major = Config.b == isa::Major::k;
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

  struct Consumer {
    static constexpr RoleConfig config{
        .name = "consumer", .warps = 4 * Config.warpgroups, .registers = 240, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 4, .registers = 24};
  };
  using Roles = RoleList<Consumer, Producer>;
  static constexpr ClusterShape cluster{Config.cluster_m, Config.cluster_n};
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages, .cluster = cluster},
                        FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;

  static constexpr LaunchConfig launch{
      .name = "persistent_matmul", .registers = 168, .cluster = cluster};

  using Sums = Accumulator<rows, block_n>;
  static constexpr int registers = rows * block_n / threads_per_warpgroup;
  static_assert(FitsAccumulators<registers>::value);

  struct Arguments {
    TensorMap<ATile, 3> a;
    TensorMap<BTile, 3> b;
    typename Out::Arguments out;
    PersistentSchedule schedule;
    PartialSumsMemory partial;
    /// 0 where all problems of a batch share an operand.
    int a_matrices;
    int b_matrices;
  };

  struct SharedMemory {
    typename Ring::Storage ring;
    typename Out::SharedMemory out;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const PersistentSchedule& schedule = arguments.schedule;
    const int cluster_index = static_cast<int>(isa::block_index().x) / Config.cluster_m;
    const int clusters = static_cast<int>(isa::grid_size().x) / Config.cluster_m;
    const auto rank = isa::cluster_cta_index();
    const auto row_of = [&](const WorkItem& item) {
      return (item.tile.m * Config.cluster_m + static_cast<int>(rank.x)) * block_m;
    };
    const auto column_of = [&](const WorkItem& item) {
      return (item.tile.n * Config.cluster_n + static_cast<int>(rank.y)) * block_n;
    };

    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    isa::let_successors_start();
    dispatch<Roles, launch.registers>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          if (group.warp_rank() != 0) {
            return;
          }
          auto end = ring.producer(group);
          for (int index = cluster_index; index < schedule.count(); index += clusters) {
            const WorkItem item = schedule.at(index);
            const int row = row_of(item);
            const int column = column_of(item);
            int k = item.k_first * block_k;
            for (auto slot : end.fill(item.k_tiles)) {
              slot.load(slot->a, arguments.a, a_box(row, k, item.matrix * arguments.a_matrices));
              slot.load(slot->b, arguments.b, b_box(column, k, item.matrix * arguments.b_matrices));
              k += block_k;
            }
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          const auto warpgroup = group.warpgroup();
          const int share = static_cast<int>(group.warpgroup_rank());
          auto end = ring.consumer(group);
          typename Out::template Writer<decltype(warpgroup)> out(arguments.out, shared.out,
                                                                 warpgroup, share);
          PartialSums<registers, Config.warpgroups * cluster.size(), decltype(warpgroup)> partial(
              arguments.partial, warpgroup,
              static_cast<int>(isa::cluster_cta_rank()) * Config.warpgroups + share);
          Sums sums;
          for (int index = cluster_index; index < schedule.count(); index += clusters) {
            const WorkItem item = schedule.at(index);
            sums.clear();
            DeferredRelease deferred(end);
            end.read(item.k_tiles, [&](auto& slot) {
              deferred.push(slot, mma<MmaOptions{.a = Config.a, .b = Config.b}>(
                                      sums, a_share(slot->a, share), slot->b));
            });
            deferred.flush(sums);
            if (item.part + 1 < item.parts) {
              partial.leave(sums, item.cut_tile, item.part, item.parts);
              continue;
            }
            if (item.parts > 1) {
              partial.gather(sums, item.cut_tile, item.parts);
            }
            out(sums, {row_of(item) + share * rows, column_of(item), item.matrix});
          }
        });
  }

 private:
  static WARPLINE_DEVICE Coordinate a_box(int row, int k, int matrix) {
    return a_k_major ? Coordinate{row, k, matrix} : Coordinate{k, row, matrix};
  }
  static WARPLINE_DEVICE Coordinate b_box(int column, int k, int matrix) {
    return b_k_major ? Coordinate{column, k, matrix} : Coordinate{k, column, matrix};
  }
  static WARPLINE_DEVICE auto a_share(const ATile& tile, int share) {
    if constexpr (a_k_major) {
      return tile.template row_slice<rows>(share * rows);
    } else {
      return tile.template column_slice<rows>(share * rows);
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
