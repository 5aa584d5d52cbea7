// D = alpha * A * B^T, persistent and warp-specialised: two consumers that own a tile each and take
// turns at the tensor cores. While one multiplies, the other stores: for short K, where a tile's
// stores would take a large share of its time.
//
//   role       warps   registers   does
//   first      0-3     240         every other item: waits for its turn, multiplies, passes the
//   second     4-7     240         turn on, stores
//   producer   8-11    24          one thread loads this CTA's share of A and B, for both
//
//   barrier        arrivals                               completed by
//   full[stage]    1, and the bytes of both tiles         the copy engines of the cluster
//   empty[stage]   4 warps of each CTA that loads into    the consumer whose item it was, after the
//                  this one's stages                      wait for the next multiply
//   turn[2]        4 warps                                the other consumer, when its last
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

  struct First {
    static constexpr RoleConfig config{
        .name = "first consumer", .warps = 4, .registers = 240, .multiplies = true};
  };
  struct Second {
    static constexpr RoleConfig config{
        .name = "second consumer", .warps = 4, .registers = 240, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 4, .registers = 24};
  };
  using Roles = RoleList<First, Second, Producer>;
  using Ring = Pipeline<typename Operands::Stage,
                        PipelineConfig{.stages = Config.stages, .cluster = Operands::cluster},
                        FilledByCopies<Producer>, ReadInTurnByTensorCores<First, Second>>;
  using Order = Turns<First, Second>;

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
    const auto consume = [&](const auto& group, int share) {
      const auto warpgroup = group.warpgroup();
      auto end = ring.consumer(group);
      auto turn = order.of(group);
      typename Out::template Writer<decltype(warpgroup)> out(arguments.out, shared.out, warpgroup,
                                                             share);
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
        turn.pass(group, index + clusters < schedule.count());
        deferred.flush(sums);
        if (item.k_tiles > 0 && partial.end(sums, item)) {
          out(sums, {Operands::row_of(item), Operands::column_of(item), item.matrix});
        }
      }
    };

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
        [&](const ThreadGroup<Roles, First>& group) { consume(group, 0); },
        [&](const ThreadGroup<Roles, Second>& group) { consume(group, 1); });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
