// Rows at the speed of memory: every input byte is read once, by the copy engine, into a ring; a
// row is held in registers between its reduction and its result, which is written from there.
// `Op` is what is computed (softmax/, normalization/, reduction/).
//
//   role       warps                does
//   consumer   0 to threads/32-1    waits for full, takes its elements into registers, frees the
//                                   stage; reduces; computes and stores the result
//   producer   the last             waits for empty; one thread issues the bulk copies of a stage
//
//   barrier          arrivals                         completed by
//   full[stage]      1, and the announced bytes       the copy engine
//   empty[stage]     one for each consumer warp       the consumers, after a proxy fence
//   received[2]      1, and a result of each CTA      st.async of the cluster's CTAs
//
//   shared memory   stages x (stage_elements of each input), barriers, results of warps and CTAs
//
// Two shapes (RowConfig): many rows in a stage, each for a part of a warp; or a row in several
// stages, for all consumers of a CTA, or of a cluster whose CTAs have a part of the row each.
#pragma once

#include "rows/row_config.h"
#include "rows/row_loader.h"
#include "rows/row_values.h"
#include "warpline/launch.h"
#include "warpline/numbers.h"
#include "warpline/pipeline.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

/// An operation on rows of `Op::Element`:
///
///   static constexpr const char* name; static constexpr int inputs;
///   static constexpr float absent;                    // stands for elements beyond the row
///   struct Arguments; struct Partial;
///   absorb(arguments, in) -> float                    // an element of each input: what is held
///   gather(arguments, row, values) -> Partial         // this thread's part; may change the values
///   combine(Partial, Partial) -> Partial              // symmetric
///   finish(arguments, row, columns, values, Partial)  // result to memory
template <class Op, RowConfig Config>
struct RowKernel {
  using T = typename Op::Element;
  using Partial = typename Op::Partial;
  static constexpr bool whole_cta = Config.whole_cta();
  static constexpr int pieces = Config.elements / Config.vector;
  static constexpr int unit = 16 / static_cast<int>(sizeof(T));
  /// Stretches of several rows that do not follow on each other begin on 16 bytes each.
  static constexpr int plane = Config.stage_elements + unit;
  using Values = RowValues<pieces, Config.vector, Config.threads_per_row>;

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = Config.threads / 32};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  struct Stage {
    SharedArray<T, Op::inputs * plane> elements;
  };
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = Config.stages, .cluster = {.x = Config.cluster}},
               FilledByCopies<Producer>, ReadByThreads<Consumer>>;

  static constexpr LaunchConfig launch{.name = Op::name,
                                       .min_ctas_per_sm = Config.min_ctas_per_sm,
                                       .cluster = {.x = Config.cluster}};

  using Group = ThreadGroup<Roles, Consumer>;
  template <int Ctas>
  struct ReductionOf {
    using Type = ClusterReduction<Partial, Group, Ctas>;
  };
  template <int Ctas>
    requires(Ctas == 1)
  struct ReductionOf<Ctas> {
    using Type = GroupReduction<Partial, Group>;
  };
  using Reduction = typename ReductionOf<Config.cluster>::Type;

  struct Arguments {
    RowInput<T> in[Op::inputs];
    int64_t rows;
    int64_t columns;
    /// Of one CTA of the cluster.
    int64_t part;
    /// Many rows in a stage: how many, and elements from one to the next in shared memory.
    int rows_per_stage;
    int pitch;
    /// Whether the rows of a stage follow on each other in memory, in each input.
    bool contiguous;
    typename Op::Arguments op;
  };

  struct SharedMemory {
    typename Ring::Storage ring;
    typename Reduction::Storage reduction;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    if constexpr (Config.cluster > 1) {
      if (isa::thread_index() == 0) {
        Reduction::prepare(shared.reduction);
      }
    }
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          if constexpr (whole_cta) {
            load_parts(arguments, end);
          } else {
            load_rows(arguments, end);
          }
        },
        [&](const Group& group) {
          auto end = ring.consumer(group);
          if constexpr (whole_cta) {
            Reduction reduce(shared.reduction, group);
            read_parts(arguments, end, group, reduce);
          } else {
            read_rows(arguments, end, group);
          }
        });
  }

 private:
  /// A stage has `rows_per_stage` rows; CTAs take stages in turn.
  template <class End>
  static WARPLINE_DEVICE void load_rows(const Arguments& arguments, End& end) {
    const int64_t step = int64_t{isa::grid_size().x} * arguments.rows_per_stage;
    for (int64_t first = int64_t{isa::block_index().x} * arguments.rows_per_stage;
         first < arguments.rows; first += step) {
      const int rows = rows_at(arguments, first);
      auto slot = end.acquire();
      WARPLINE_UNROLL
      for (int i = 0; i < Op::inputs; ++i) {
        const RowInput<T>& input = arguments.in[i];
        if (arguments.contiguous) {
          load_stretch(slot, slot->elements, i * plane, input.row(first),
                       rows * static_cast<int>(arguments.columns), input);
        } else {
          WARPLINE_NO_UNROLL
          for (int r = 0; r < rows; ++r) {
            load_stretch(slot, slot->elements, i * plane + r * arguments.pitch,
                         input.row(first + r), static_cast<int>(arguments.columns), input);
          }
        }
      }
    }
  }

  /// The CTA's part of a row in stages of `stage_elements`; clusters take rows in turn.
  template <class End>
  static WARPLINE_DEVICE void load_parts(const Arguments& arguments, End& end) {
    const int columns = columns_here(arguments);
    for (int64_t row = first_row(); row < arguments.rows; row += row_step()) {
      WARPLINE_NO_UNROLL
      for (int at = 0; at < columns; at += Config.stage_elements) {
        auto slot = end.acquire();
        const int rest = columns - at;
        WARPLINE_UNROLL
        for (int i = 0; i < Op::inputs; ++i) {
          load_stretch(slot, slot->elements, i * plane,
                       arguments.in[i].row(row) + part_begin(arguments) + at,
                       rest < Config.stage_elements ? rest : Config.stage_elements,
                       arguments.in[i]);
        }
      }
    }
  }

  template <class End>
  static WARPLINE_DEVICE void read_rows(const Arguments& arguments, End& end, const Group& group) {
    constexpr int lanes = Config.threads_per_row;
    constexpr int at_a_time = Config.threads / lanes;
    const int mine = static_cast<int>(group.thread_rank()) / lanes;
    Values values;
    values.thread = static_cast<int>(group.thread_rank()) % lanes;
    const int64_t step = int64_t{isa::grid_size().x} * arguments.rows_per_stage;
    for (int64_t first = int64_t{isa::block_index().x} * arguments.rows_per_stage;
         first < arguments.rows; first += step) {
      const int rows = rows_at(arguments, first);
      auto slot = end.acquire();
      // All lanes of a warp come along, with or without a row: they reduce together.
      for (int r = mine; r - mine < rows; r += at_a_time) {
        values.columns = r < rows ? static_cast<int>(arguments.columns) : 0;
        const int64_t row = first + r;
        int place[Op::inputs];
        WARPLINE_UNROLL
        for (int i = 0; i < Op::inputs; ++i) {
          place[i] = i * plane + r * arguments.pitch +
                     shift_of(arguments, i, arguments.contiguous ? first : row, 0);
        }
        take<0, pieces>(arguments, slot->elements, place, values);
        Partial partial = Op::gather(arguments.op, row, values);
        partial = reduce_lanes<lanes>(partial, Op::combine);
        Op::finish(arguments.op, row, arguments.columns, values, partial);
      }
    }
  }

  template <class End, class Reduce>
  static WARPLINE_DEVICE void read_parts(const Arguments& arguments, End& end, const Group& group,
                                         Reduce& reduce) {
    constexpr int pieces_per_stage = Config.stage_elements / (Config.threads * Config.vector);
    static_assert(pieces % pieces_per_stage == 0);
    Values values;
    values.thread = static_cast<int>(group.thread_rank());
    values.first = part_begin(arguments);
    values.columns = columns_here(arguments);
    for (int64_t row = first_row(); row < arguments.rows; row += row_step()) {
      static_for<0, pieces / pieces_per_stage>([&](auto stage) {
        constexpr int first_piece = decltype(stage)::value * pieces_per_stage;
        if (stage * Config.stage_elements < values.columns) {
          auto slot = end.acquire();
          int place[Op::inputs];
          WARPLINE_UNROLL
          for (int i = 0; i < Op::inputs; ++i) {
            // Pieces are counted from the part's beginning.
            place[i] = i * plane - stage * Config.stage_elements +
                       shift_of(arguments, i, row, part_begin(arguments));
          }
          take<first_piece, first_piece + pieces_per_stage>(arguments, slot->elements, place,
                                                            values);
        } else {
          WARPLINE_UNROLL
          for (int i = first_piece * Config.vector;
               i < (first_piece + pieces_per_stage) * Config.vector; ++i) {
            values.x[i] = Op::absent;
          }
        }
      });
      const Partial partial = reduce(Op::gather(arguments.op, row, values), Op::combine);
      Op::finish(arguments.op, row, arguments.columns, values, partial);
    }
  }

  /// Pieces [First, Last) from shared memory to registers; place[i] is where input i of the row
  /// (or of the CTA's part) begins.
  template <int First, int Last, class Array>
  static WARPLINE_DEVICE void take(const Arguments& arguments, const Array& array,
                                   const int (&place)[Op::inputs], Values& values) {
    constexpr int vector = Config.vector;
    WARPLINE_UNROLL
    for (int p = First; p < Last; ++p) {
      float* x = values.x + p * vector;
      if (values.has(p)) {
        float in[Op::inputs][vector];
        WARPLINE_UNROLL
        for (int i = 0; i < Op::inputs; ++i) {
          const T* first = array.elements + (place[i] + values.offset(0));
          unpack(
              isa::load_shared(*reinterpret_cast<const Pack<T, vector>*>(first + p * Values::step)),
              in[i]);
        }
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          float elements[Op::inputs];
          WARPLINE_UNROLL
          for (int i = 0; i < Op::inputs; ++i) {
            elements[i] = in[i][v];
          }
          x[v] = Op::absorb(arguments.op, elements);
        }
      } else {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          x[v] = Op::absent;
        }
      }
    }
  }

  static WARPLINE_DEVICE int rows_at(const Arguments& arguments, int64_t first) {
    const int64_t left = arguments.rows - first;
    return left < arguments.rows_per_stage ? static_cast<int>(left) : arguments.rows_per_stage;
  }
  static WARPLINE_DEVICE int shift_of(const Arguments& arguments, int input, int64_t row,
                                      int64_t column) {
    return Config.vector > 1 ? 0 : misalignment(arguments.in[input].row(row) + column);
  }
  static WARPLINE_DEVICE int64_t first_row() {
    return isa::block_index().x / static_cast<uint32_t>(Config.cluster);
  }
  static WARPLINE_DEVICE int64_t row_step() {
    return isa::grid_size().x / static_cast<uint32_t>(Config.cluster);
  }
  static WARPLINE_DEVICE int64_t part_begin(const Arguments& arguments) {
    return Config.cluster == 1 ? 0 : isa::cluster_cta_rank() * arguments.part;
  }
  static WARPLINE_DEVICE int columns_here(const Arguments& arguments) {
    const int64_t left = arguments.columns - part_begin(arguments);
    return static_cast<int>(left < 0 ? 0 : left < arguments.part ? left : arguments.part);
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
