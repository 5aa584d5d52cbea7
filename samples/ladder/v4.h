// v4: the Pipeline object, tiles in groups for the L2 cache, one multiply kept in flight.
//
//   role       warps   does
//   consumer   0-3     waits for full, issues a multiply, frees the stage of the one before
//   producer   4       waits for empty, loads
//
//   barrier        arrivals                        completed by
//   full[stage]    1, and the bytes of both tiles  the copy engine
//   empty[stage]   4, one per warp                 the consumer, after the wait for the next
//                                                  multiply
//
//   shared memory   stages x (A tile, B tile), 2 x stages barriers
#pragma once

#include "samples/ladder/problem.h"
#include "warpline/deferred_release.h"
#include "warpline/pipeline.h"

namespace ladder::inline WARPLINE_TARGET {

template <LadderConfig Config>
struct V4 {
  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  using Arguments = Operands<Config>;
  struct Stage {
    typename Arguments::ATile a;
    typename Arguments::BTile b;
  };
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages}, FilledByCopies<Producer>,
                        ReadByTensorCores<Consumer>>;
  using SharedMemory = typename Ring::Storage;
  static_assert(FitsSharedMemory<static_cast<int>(sizeof(SharedMemory))>::value);
  static constexpr LaunchConfig launch{
      .name = "ladder_v4",
      .min_ctas_per_sm = ctas_per_sm(sizeof(SharedMemory), Roles::threads,
                                     Config.block_m* Config.block_n / threads_per_warpgroup +
                                         registers_beside_accumulators) >= 2
                             ? 2
                             : 1};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    const int m = args.tile().m * Config.block_m;
    const int n = args.tile().n * Config.block_n;
    Ring ring(shared);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          int k = 0;
          end.fill(args.k_tiles, [&](auto& slot) {
            slot.load(slot->a, args.a, {.row = m, .column = k});
            slot.load(slot->b, args.b, {.row = n, .column = k});
            k += Config.block_k;
          });
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          DeferredRelease deferred(end);
          Accumulator<Config.block_m, Config.block_n> sum;
          end.read(args.k_tiles,
                   [&](auto& slot) { deferred.push(slot, mma(sum, slot->a, slot->b)); });
          deferred.flush(sum);
          store(sum, args.c, m, n, group.thread_rank());
        });
  }
};

}  // namespace ladder::inline WARPLINE_TARGET
