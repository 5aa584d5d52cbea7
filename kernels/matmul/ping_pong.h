// D = alpha * A * B^T, persistent and warp-specialised: two consuming warpgroups that own a tile
// each and take turns at the tensor cores. While one multiplies, the other stores: for short K,
// where a tile's stores would take a large share of its time.
//
//   role        warps   registers   does
//   consumers   0-7     240         a warpgroup has every other item: waits for its turn,
//                                   multiplies, passes the turn on, stores
//   producer    8-11    24          one thread loads this CTA's share of A and B, for both
//
//   barrier        arrivals                               completed by
//   full[stage]    1, and the bytes of both tiles         the copy engines of the cluster
//   empty[stage]   4 warps of each CTA that loads into    the warpgroup whose item it was, after
//                  this one's stages                      the wait for the next multiply
//   turn[2]        4 warps                                the other warpgroup, when its last
//                                                         multiply is issued
//
//   shared memory   stages x (A block_m x block_k, B block_n x block_k), and what `Out` needs
#pragma once

#include "matmul/accumulator_place.h"
#include "matmul/matmul_operands.h"
#include "matmul/partial_sums.h"
#include "warpline/deferred_release.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"
#include "warpline/turns.h"

namespace warpline::inline WARPLINE_TARGET {

/// `T` is the type of A and B. `Out` takes the finished accumulators (out_by_copies.h,
/// out_by_steps.h).
template <class T, PersistentConfig Config, class Out>
struct PingPongMatmul {
  using Operands = MatmulOperands<T, Config>;
  static_assert(Config.cluster_k == 1, "CTAs that share a tile along K: cluster_split.h");
  static constexpr int block_m = Config.block_m;
  static constexpr int block_n = Config.block_n;

  struct Consumers {
    static constexpr RoleConfig config{
        .name = "consumers", .warps = 8, .registers = 240, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 4, .registers = 24};
  };
  using Roles = RoleList<Consumers, Producer>;
  using Ring = Pipeline<typename Operands::Stage,
                        PipelineConfig{.stages = Config.stages, .cluster = Operands::cluster},
                        FilledByCopies<Producer>, ReadInTurnByTensorCores<Consumers>>;
  using Order = Turns<Consumers>;

  static constexpr LaunchConfig launch{
      .name = "ping_pong_matmul", .registers = 168, .cluster = Operands::cluster};

  using Sums = Accumulator<block_m, block_n>;
  static constexpr int registers = block_m * block_n / threads_per_warpgroup;
  static_assert(FitsAccumulators<registers>::value);

  struct Arguments {
    typename Operands::Arguments operands;
    typename Out::Arguments out;
    PersistentSchedule schedule;
    PartialSumsMemory partial;
  };

  struct SharedMemory {
    typename Ring::Storage ring;
    typename Out::SharedMemory out;
    typename Order::Storage order;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const PersistentSchedule& schedule = arguments.schedule;
    const int cluster_index = static_cast<int>(isa::block_index().x) / Config.cluster_m;
    const int clusters = static_cast<int>(isa::grid_size().x) / Config.cluster_m;

    Operands::prefetch(arguments.operands);
    Order order(shared.order);
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
            Operands::load(end, arguments.operands, schedule.at(index));
          }
        },
        [&](const ThreadGroup<Roles, Consumers>& group) {
          const auto warpgroup = group.warpgroup();
          const int share = static_cast<int>(group.warpgroup_rank());
          auto end = ring.consumer(group);
          auto turn = order.of(group);
          typename Out::template Writer<decltype(warpgroup)> out(arguments.out, shared.out,
                                                                 warpgroup, share);
          PartialSums<registers, Operands::cluster.size(), decltype(warpgroup)> partial(
              arguments.partial, warpgroup, Operands::cluster_rank());
          Sums sums;
          bool mine = share == 1;
          for (int index = cluster_index; index < schedule.count(); index += clusters) {
            const WorkItem item = schedule.at(index);
            mine = !mine;
            if (!mine) {
              end.skip(item.k_tiles);
              continue;
            }
            if (item.k_tiles > 0) {
              partial.begin(item);
            }
            turn.wait();
            sums.clear();
            DeferredRelease deferred(end);
            Operands::for_each_slot(end, item.k_tiles, [&](auto& slot) {
              deferred.push(slot, mma<Operands::mma_options>(sums, slot->a, slot->b));
            });
            turn.pass(index + clusters < schedule.count());
            deferred.flush(sums);
            if (item.k_tiles > 0 && partial.end(sums, item)) {
              out(sums, {Operands::row_of(item), Operands::column_of(item), item.matrix});
            }
          }
        });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
