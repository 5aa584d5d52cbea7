// D = alpha * A * B^T, persistent and warp-specialised, where the CTAs of a cluster share each tile
// along K: for problems whose tiles are too few for the chip. What one CTA has summed reaches the
// others through distributed shared memory (warpline/cluster_sums.h): no workspace, no counters,
// none of the microseconds that sums take through global memory (partial_sums.h).
//
//   role       warps           does
//   consumer   4 x warpgroups  its rows of the tile, for this CTA's k tiles: multiplies, keeping
//                              one multiply in flight; gives its sums away; adds up its share of
//                              the columns and hands it to `Out`
//   producer   1               one thread loads A and B for this CTA's k tiles
//
//   barrier        arrivals                               completed by
//   full[stage]    1, and the bytes of both tiles         the copy engine
//   empty[stage]   consumer warps                         the consumers, after the wait for the
//                                                         next multiply
//   sums           1, and the peers' sums of the share    st.async of the peers' consumers; one
//                                                         for each warpgroup
//   sums read      4 warps of each CTA with a share       their consumers, for the next tile
//
//   shared memory   stages x (A block_m x block_k, B block_n x block_k), the peers' sums of a
//                   share, and what `Out` needs
//
// Each CTA has a run of k tiles, as many as the others or one less; a CTA that has none gives away
// zeros. Which part is added first does not depend on who came first.
#pragma once

#include "matmul/accumulator_place.h"
#include "matmul/matmul_operands.h"
#include "warpline/cluster_sums.h"
#include "warpline/deferred_release.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// `T` is the type of A and B. `Out` takes accumulators of one share of the columns
/// (out_by_copies.h, out_by_steps.h).
template <class T, PersistentConfig Config, class Out>
struct ClusterSplitMatmul {
  using Operands = MatmulOperands<T, Config>;
  static constexpr int ctas = Config.cluster_k;
  static constexpr int rows = Config.block_m / Config.warpgroups;
  static_assert(ctas > 1 && !Config.ping_pong && Config.fill == Fill::copies);
  static_assert(rows % 64 == 0 && Config.block_m % Config.warpgroups == 0,
                "each consumer warpgroup takes a multiple of 64 rows of the tile");

  struct Consumer {
    static constexpr RoleConfig config{
        .name = "consumer", .warps = 4 * Config.warpgroups, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<typename Operands::Stage,
                        PipelineConfig{.stages = Config.stages, .cluster = Operands::cluster},
                        FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  static constexpr LaunchConfig launch{.name = "cluster_split_matmul",
                                       .min_ctas_per_sm = Config.ctas_per_sm,
                                       .cluster = Operands::cluster};

  using Exchange = ClusterSums<rows, Config.block_n, ctas>;
  static_assert(FitsAccumulators<rows*(Config.block_n + Exchange::share_columns) /
                                 threads_per_warpgroup>::value);

  struct Arguments {
    typename Operands::Arguments operands;
    typename Out::Arguments out;
    PersistentSchedule schedule;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
    typename Out::SharedMemory out;
    typename Exchange::Storage exchange[Config.warpgroups];
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const PersistentSchedule& schedule = arguments.schedule;
    const int cluster_index = static_cast<int>(isa::block_index().x) / ctas;
    const int clusters = static_cast<int>(isa::grid_size().x) / ctas;
    const int rank = static_cast<int>(isa::cluster_cta_rank());

    Operands::prefetch(arguments.operands);
    if (isa::thread_index() == 0) {
      for (auto& exchange : shared.exchange) {
        Exchange::prepare(exchange);
      }
    }
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    isa::let_successors_start();
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (int index = cluster_index; index < schedule.count(); index += clusters) {
            Operands::load(end, arguments.operands, part_of(schedule.at(index), rank, ctas));
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          const auto warpgroup = group.warpgroup();
          const int share = static_cast<int>(group.warpgroup_rank());
          auto end = ring.consumer(group);
          typename Out::template Writer<decltype(warpgroup)> out(arguments.out, shared.out,
                                                                 warpgroup, share);
          Exchange exchange(shared.exchange[share], warpgroup);
          typename Exchange::Sums sums;
          for (int index = cluster_index; index < schedule.count(); index += clusters) {
            const WorkItem item = part_of(schedule.at(index), rank, ctas);
            sums.clear();
            DeferredRelease deferred(end);
            Operands::for_each_slot(end, item.k_tiles, [&](auto& slot) {
              deferred.push(
                  slot, mma<Operands::mma_options>(
                            sums, Operands::template a_rows<rows>(slot->a, share * rows), slot->b));
            });
            deferred.flush(sums);
            typename Exchange::Share mine;
            exchange(sums, mine, index + clusters < schedule.count());
            if (exchange.has_share()) {
              out(mine, {Operands::row_of(item) + share * rows,
                         Operands::column_of(item) + exchange.column(), item.matrix});
            }
          }
        });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
