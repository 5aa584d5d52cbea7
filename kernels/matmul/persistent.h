// D = alpha * A * B^T, persistent and warp-specialised: the family behind warpline::matmul. The
// consumer warpgroups share a tile's rows, the CTAs of a cluster share loads by multicast, a tile's
// stores overlap the next tile's multiplies, and K may be cut for tiles that would leave
// multiprocessors idle.
//
//   role       warps           registers   does
//   consumer   4 x warpgroups  240*        its rows of the tile: multiplies, keeping one multiply
//                                          in flight; leaves or gathers partial sums; hands D to
//                                          `Out`
//   producer   4               24*         one thread loads this CTA's share of A and B
//
//   * as launched, with one consumer warpgroup or several CTAs per multiprocessor; 160 and 184
//     where all 128 threads of the producer fill (in_by_threads.h): 4 arrivals end full[stage]
//
//   barrier        arrivals                               completed by
//   full[stage]    1, and the bytes of both tiles         the copy engines of the cluster
//   empty[stage]   consumer warps of each CTA that loads  the consumers, after the wait for the
//                  into this one's stages                 next multiply
//
//   shared memory   stages x (A block_m x block_k, B block_n x block_k), and what `Out` needs
#pragma once

#include "matmul/accumulator_place.h"
#include "matmul/in_by_threads.h"
#include "matmul/matmul_operands.h"
#include "matmul/partial_sums.h"
#include "warpline/deferred_release.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// `T` is the type of A and B. `Out` takes the finished accumulators (out_by_copies.h,
/// out_by_steps.h).
template <class T, PersistentConfig Config, class Out>
struct PersistentMatmul {
  using Operands = MatmulOperands<T, Config>;
  using In = std::conditional_t<Config.fill == Fill::threads, InByThreads<Operands>, Operands>;
  static_assert(Config.cluster_k == 1, "CTAs that share a tile along K: cluster_split.h");
  static constexpr int block_n = Config.block_n;
  static constexpr int rows = Config.block_m / Config.warpgroups;
  static_assert(rows % 64 == 0 && Config.block_m % Config.warpgroups == 0,
                "each consumer warpgroup takes a multiple of 64 rows of the tile");

  /// Small accumulators leave enough registers for all: none need to change hands.
  static constexpr bool hands_registers = Config.warpgroups > 1 && Config.ctas_per_sm == 1;
  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer",
                                       .warps = 4 * Config.warpgroups,
                                       .registers = hands_registers ? In::consumer_registers : 0,
                                       .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{
        .name = "producer", .warps = 4, .registers = hands_registers ? In::producer_registers : 0};
  };
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<typename Operands::Stage,
                        PipelineConfig{.stages = Config.stages, .cluster = Operands::cluster},
                        typename In::template Phase<Producer>, ReadByTensorCores<Consumer>>;

  static constexpr LaunchConfig launch{.name = "persistent_matmul",
                                       .min_ctas_per_sm = Config.ctas_per_sm,
                                       .registers = hands_registers ? 168 : 0,
                                       .cluster = Operands::cluster};

  using Sums = Accumulator<rows, block_n>;
  static constexpr int registers = rows * block_n / threads_per_warpgroup;
  static_assert(FitsAccumulators<registers>::value);

  struct Arguments {
    typename In::Arguments operands;
    typename Out::Arguments out;
    PersistentSchedule schedule;
    PartialSumsMemory partial;
  };

  struct SharedMemory {
    typename Ring::Storage ring;
    typename Out::SharedMemory out;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const PersistentSchedule& schedule = arguments.schedule;
    const int cluster_index = static_cast<int>(isa::block_index().x) / Config.cluster_m;
    const int clusters = static_cast<int>(isa::grid_size().x) / Config.cluster_m;

    In::prefetch(arguments.operands);
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    isa::let_successors_start();
    dispatch<Roles, launch.registers>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          if (!In::all_warps_fill && group.warp_rank() != 0) {
            return;
          }
          auto end = ring.producer(group);
          for (int index = cluster_index; index < schedule.count(); index += clusters) {
            In::load(end, arguments.operands, schedule.at(index));
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          const auto warpgroup = group.warpgroup();
          const int share = static_cast<int>(group.warpgroup_rank());
          auto end = ring.consumer(group);
          typename Out::template Writer<decltype(warpgroup)> out(arguments.out, shared.out,
                                                                 warpgroup, share);
          PartialSums<registers, Config.warpgroups * Operands::cluster.size(), decltype(warpgroup)>
              partial(arguments.partial, warpgroup,
                      Operands::cluster_rank() * Config.warpgroups + share);
          Sums sums;
          for (int index = cluster_index; index < schedule.count(); index += clusters) {
            const WorkItem item = schedule.at(index);
            if (item.k_tiles == 0) {
              continue;
            }
            partial.begin(item);
            sums.clear();
            DeferredRelease deferred(end);
            Operands::for_each_slot(end, item.k_tiles, [&](auto& slot) {
              deferred.push(
                  slot, mma<Operands::mma_options>(
                            sums, Operands::template a_rows<rows>(slot->a, share * rows), slot->b));
            });
            deferred.flush(sums);
            if (partial.end(sums, item)) {
              out(sums,
                  {Operands::row_of(item) + share * rows, Operands::column_of(item), item.matrix});
            }
          }
        });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
