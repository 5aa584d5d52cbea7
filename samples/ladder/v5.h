// v5: two consumer warpgroups own half the rows each and share B.
//
//   role       warps   does
//   consumer   0-7     each warpgroup multiplies its half of A's rows with all of B
//   producer   8       waits for empty, loads
//
//   barrier        arrivals                        completed by
//   full[stage]    1, and the bytes of both tiles  the copy engine
//   empty[stage]   8, one per warp                 the consumers, after the wait for the next
//                                                  multiply
//
//   shared memory   stages x (A tile, B tile), 2 x stages barriers
#pragma once

#include "samples/ladder/problem.h"
#include "warpline/deferred_release.h"
#include "warpline/pipeline.h"

namespace ladder::inline WARPLINE_TARGET {

template <LadderConfig Config>
struct V5 {
  static constexpr int rows = Config.block_m / 2;
  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = 8, .multiplies = true};
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
  static_assert(FitsAccumulators<rows * Config.block_n / 128, 168>::value,
                "288 threads have at most 224 registers each");
  static constexpr LaunchConfig launch{.name = "ladder_v5"};

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
          Accumulator<rows, Config.block_n> sum;
          const int first_row = static_cast<int>(group.warpgroup_rank()) * rows;
          end.read(args.k_tiles, [&](auto& slot) {
            deferred.push(slot, mma(sum, slot->a.template row_slice<rows>(first_row), slot->b));
          });
          deferred.flush(sum);
          store(sum, args.c, m + first_row, n, group.thread_rank() % threads_per_warpgroup);
        });
  }
};

}  // namespace ladder::inline WARPLINE_TARGET
