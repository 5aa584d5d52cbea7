// D = function(A * G^T, A * V^T), persistent and warp-specialised, where B's first half of rows is
// G and its second half is V: gated pairs, as SwiGLU. Each tile of D needs a tile of both, and a
// thread holds the two sums of its elements.
//
//   role       warps   registers   does
//   consumer   8       240         its 64 rows of the tile: two multiplies for each stage
//   producer   4       24          one thread loads A, G and V
//
//   barrier        arrivals                           completed by
//   full[stage]    1, and the bytes of three tiles    the copy engine
//   empty[stage]   8 warps                            the consumers, after the wait for the next
//                                                     stage's multiplies
//
//   shared memory   stages x (A block_m x block_k, G and V block_n x block_k)
#pragma once

#include "matmul/accumulator_place.h"
#include "matmul/matmul_operands.h"
#include "warpline/deferred_release.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Config` is of one of the pair, without cluster. `Out` takes two accumulators
/// (out_by_function.h).
template <class T, PersistentConfig Config, class Out>
struct GatedMatmul {
  using Operands = MatmulOperands<T, Config>;
  static_assert(Config.cluster_m == 1 && Config.cluster_n == 1 && Config.cluster_k == 1 &&
                !Config.ping_pong);
  static constexpr int rows = Config.block_m / Config.warpgroups;

  struct Consumer {
    static constexpr RoleConfig config{
        .name = "consumer", .warps = 4 * Config.warpgroups, .registers = 240, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 4, .registers = 24};
  };
  using Roles = RoleList<Consumer, Producer>;
  struct Stage {
    typename Operands::ATile a;
    typename Operands::BTile gate;
    typename Operands::BTile value;
  };
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages}, FilledByCopies<Producer>,
                        ReadByTensorCores<Consumer>>;
  static constexpr LaunchConfig launch{.name = "gated_matmul", .registers = 168};

  using Sums = Accumulator<rows, Config.block_n>;
  static_assert(FitsAccumulators<2 * rows * Config.block_n / threads_per_warpgroup>::value);

  struct Arguments {
    typename Operands::Arguments operands;
    typename Out::Arguments out;
    PersistentSchedule schedule;
    /// Rows of G.
    int half;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
    typename Out::SharedMemory out;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const PersistentSchedule& schedule = arguments.schedule;
    const int first = static_cast<int>(isa::block_index().x);
    const int ctas = static_cast<int>(isa::grid_size().x);

    Operands::prefetch(arguments.operands);
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    isa::let_successors_start();
    dispatch<Roles, launch.registers>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          if (group.warp_rank() != 0) {
            return;
          }
          auto end = ring.producer(group);
          for (int index = first; index < schedule.count(); index += ctas) {
            load(end, arguments, schedule.at(index));
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          const auto warpgroup = group.warpgroup();
          const int share = static_cast<int>(group.warpgroup_rank());
          auto end = ring.consumer(group);
          typename Out::template Writer<decltype(warpgroup)> out(arguments.out, shared.out,
                                                                 warpgroup, share);
          Sums gate;
          Sums value;
          for (int index = first; index < schedule.count(); index += ctas) {
            const WorkItem item = schedule.at(index);
            gate.clear();
            value.clear();
            // Multiplies complete in order: the second one's token stands for both.
            DeferredRelease deferred(end);
            Operands::for_each_slot(end, item.k_tiles, [&](auto& slot) {
              const auto a = Operands::template a_rows<rows>(slot->a, share * rows);
              [[maybe_unused]] const auto first_of_two =
                  mma<Operands::mma_options>(gate, a, slot->gate);
              deferred.push(slot, mma<Operands::mma_options>(value, a, slot->value));
            });
            deferred.flush(value);
            gate.hold();
            out(gate, value,
                {Operands::row_of(item) + share * rows, Operands::column_of(item), item.matrix});
          }
        });
  }

 private:
  template <class End>
  static WARPLINE_DEVICE void load(End& end, const Arguments& arguments, const WorkItem& item) {
    const auto& [a, b, a_matrices, b_matrices] = arguments.operands;
    const int row = Operands::row_of(item);
    const int column = Operands::column_of(item);
    const int a_matrix = item.matrix * a_matrices;
    const int b_matrix = item.matrix * b_matrices;
    const auto b_box = [&](int at, int k) {
      return Operands::b_k_major ? Coordinate{at, k, b_matrix} : Coordinate{k, at, b_matrix};
    };
    int k = item.k_first * Config.block_k;
    for (auto slot : end.fill(item.k_tiles)) {
      slot.load(slot->a, a,
                Operands::a_k_major ? Coordinate{row, k, a_matrix} : Coordinate{k, row, a_matrix});
      slot.load(slot->gate, b, b_box(column, k));
      slot.load(slot->value, b, b_box(column + arguments.half, k));
      k += Config.block_k;
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
