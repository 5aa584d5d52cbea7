// D = alpha * A * B^T for few rows of A: B, which is nearly all there is to read, streams through
// the ring once, in long stretches of its rows, while A stays in shared memory. CTAs share out B's
// rows evenly, to a pair of rows: none has a tile that is partly filled.
//
//   role       warps   does
//   consumer   0-7     waits for full; each warp multiplies (mma.sync) its part of the stage's K,
//                      frees the stage; after eight rows of B all warps leave their sums, and one
//                      of them, in turn, adds them up and takes them through the epilogue's steps
//   producer   8       waits for empty; one thread copies eight rows of B for each stage, and
//                      A once
//
//   barrier           arrivals                   completed by
//   full[stage]       1, and the announced bytes the copy engine
//   empty[stage]      8                          the consumers, after a proxy fence
//   full, empty of A  as above                   the copy engine, once; the consumers, at the end
//
//   shared memory   stages x (8 rows of B, `run` elements of each), A, 2 x the warps' sums
//
// Rows of B are copied one by one, `run` elements at a time: 4 KB of each row are as fast as whole
// rows, 1 KB cost a third of the speed (docs/measurements.md). mma.sync takes the order of K as it
// comes: lanes load 16 bytes of a row and use them as the fragments of two multiplies, with A and B
// in the same order.
#pragma once

#include "matmul/few_rows_config.h"
#include "matmul/few_rows_held.h"
#include "matmul/step_passes.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/isa/mma_sync.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// `T` is the type of A and B, whose rows begin on 16 bytes; K is a multiple of 8.
template <class T, FewRowsConfig Config>
struct FewRowsMatmul {
  static constexpr int columns = FewRowsConfig::columns;
  static constexpr int warps = Config.warps;
  /// Elements of K in a warp's step, two multiplies: 16 bytes for each of four lanes.
  static constexpr int step = 32;
  static constexpr int steps = Config.run / (warps * step);
  static_assert(Config.run % (warps * step) == 0, "warps share a run of B evenly");
  /// Rows of B begin on 128 bytes: with 64 bytes between them, two rows of a load would fall on
  /// different banks, and copies would take 1.3 times as long (docs/measurements.md).
  static constexpr int pitch = Config.run;
  static_assert(pitch * sizeof(T) % 128 == 0);

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = warps};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  struct Stage {
    SharedArray<T, columns * pitch> b;
  };
  using HeldA = HeldRows<T, Config.held, Producer, Consumer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages}, FilledByCopies<Producer>,
                        ReadByThreads<Consumer>>;

  static constexpr LaunchConfig launch{.name = "few_rows_matmul"};

  struct Arguments {
    const T* a;
    int64_t a_stride;
    const T* b;
    int64_t b_stride;
    int rows;
    int columns;
    int k;
    /// Elements from one row of A to the next, in shared memory.
    int a_pitch;
    float alpha;
    int steps;
    /// The call's, and the store of D.
    EpilogueStep step[max_epilogue_steps + 1];
  };

  /// What a lane has of 16 x 8 sums (isa::mma_sync).
  struct alignas(16) FourSums {
    float values[4];
  };
  struct SharedMemory {
    typename HeldA::Storage held;
    typename Ring::Storage ring;
    FourSums sums[2][warps][threads_per_warp];
  };

  /// Rows [first, end) of B.
  struct Share {
    int first;
    int end;
    WARPLINE_DEVICE int columns_at(int group) const {
      return end - group < columns ? end - group : columns;
    }
  };
  static WARPLINE_DEVICE Share share_of(const Arguments& arguments) {
    // Steps load and store pairs of columns, which begin with an even one.
    const int64_t pairs = (int64_t{arguments.columns} + 1) / 2;
    const int64_t cta = isa::block_index().x;
    const int64_t ctas = isa::grid_size().x;
    const int end = static_cast<int>(pairs * (cta + 1) / ctas) * 2;
    return {static_cast<int>(pairs * cta / ctas) * 2,
            end < arguments.columns ? end : arguments.columns};
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const Share share = share_of(arguments);
    HeldA held(shared.held);
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto once = held.producer(group);
          auto end = ring.producer(group);
          // Memory is waited for longest: what the ring has room for comes first, then A.
          int until_a = Config.stages;
          for (int first = share.first; first < share.end; first += columns) {
            load_b(arguments, end, share, first, [&] {
              if (--until_a == 0) {
                load_a(arguments, once);
              }
            });
          }
          if (until_a > 0) {
            load_a(arguments, once);
          }
          isa::let_successors_start();
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto once = held.consumer(group);
          auto a = HeldA::wait(once);
          auto end = ring.consumer(group);
          uint32_t turn = 0;
          for (int first = share.first; first < share.end; first += columns) {
            const FourSums sums =
                multiply(arguments, a->rows.elements, end, share, first, group.warp_rank());
            // Two sets of sums: who writes the next has met those who read the one before.
            auto& all = shared.sums[turn % 2];
            isa::store_shared(all[group.warp_rank()][isa::lane_index()], sums);
            group.sync();
            if (turn % warps == group.warp_rank()) {
              FourSums sums_of_all = sum_of_warps(all);
              leave(arguments, sums_of_all, {.row = 0, .column = first, .matrix = 0}, share.end);
            }
            ++turn;
          }
        });
  }

 private:
  template <class End>
  static WARPLINE_DEVICE void load_a(const Arguments& arguments, End& end) {
    HeldA::load(end, arguments.a, arguments.a_stride, arguments.rows, arguments.k,
                arguments.a_pitch);
  }

  /// All of K of the rows of B from `first` on; loaded() after each stage.
  template <class End, class Loaded>
  static WARPLINE_DEVICE void load_b(const Arguments& arguments, End& end, const Share& share,
                                     int first, Loaded loaded) {
    const T* const row = arguments.b + first * arguments.b_stride;
    const int count = share.columns_at(first);
    WARPLINE_NO_UNROLL
    for (int at = 0; at < arguments.k; at += Config.run) {
      const int left = arguments.k - at;
      {
        auto slot = end.acquire();
        WARPLINE_NO_UNROLL
        for (int i = 0; i < count; ++i) {
          slot.load(slot->b, i * pitch, row + (i * arguments.b_stride + at),
                    left < Config.run ? left : Config.run);
        }
      }
      loaded();
    }
  }

  /// Eight elements of K, as the fragments of two multiplies.
  struct alignas(16) Piece {
    uint32_t words[4];
  };

  /// This warp's part of the sums of the rows of B from `first` on.
  template <class End>
  static WARPLINE_DEVICE FourSums multiply(const Arguments& arguments, const T* a, End& end,
                                           const Share& share, int first, uint32_t warp) {
    const int line = static_cast<int>(isa::lane_index() / 4);
    const int place = static_cast<int>(warp * step + isa::lane_index() % 4 * 8);
    const bool has_column = line < share.columns_at(first);
    const bool has_low = line < arguments.rows;
    const bool has_high = line + 8 < arguments.rows;
    const T* const low = a + line * arguments.a_pitch + place;
    const T* const high = low + 8 * arguments.a_pitch;
    // Two chains of multiplies, which need not wait for each other.
    float sums[2][4] = {};
    WARPLINE_NO_UNROLL
    for (int at = 0; at < arguments.k; at += Config.run) {
      auto slot = end.acquire();
      const T* const b = slot->b.elements + line * pitch + place;
      const int left = arguments.k - at - place;
      WARPLINE_UNROLL
      for (int i = 0; i < steps; ++i) {
        const int offset = i * warps * step;
        const bool inside = offset < left;
        const Piece of_b = piece(b + offset, inside && has_column);
        const Piece of_low = piece(low + (at + offset), inside && has_low);
        const Piece of_high = piece(high + (at + offset), inside && has_high);
        WARPLINE_UNROLL
        for (int half = 0; half < 2; ++half) {
          const int k = half * 2;
          isa::mma_sync<T>(
              sums[half],
              {of_low.words[k], of_high.words[k], of_low.words[k + 1], of_high.words[k + 1]},
              {of_b.words[k], of_b.words[k + 1]});
        }
      }
    }
    FourSums result;
    WARPLINE_UNROLL
    for (int i = 0; i < 4; ++i) {
      result.values[i] = sums[0][i] + sums[1][i];
    }
    return result;
  }

  /// Zeros where there is nothing: what lies in the stage there need not be a number.
  static WARPLINE_DEVICE Piece piece(const T* place, bool there) {
    return there ? isa::load_shared(*reinterpret_cast<const Piece*>(place)) : Piece{};
  }

  /// One warp: the sums of all, in their order.
  static WARPLINE_DEVICE FourSums sum_of_warps(const FourSums (&all)[warps][threads_per_warp]) {
    FourSums total{};
    WARPLINE_UNROLL
    for (int warp = 0; warp < warps; ++warp) {
      const FourSums part = isa::load_shared(all[warp][isa::lane_index()]);
      WARPLINE_UNROLL
      for (int i = 0; i < 4; ++i) {
        total.values[i] += part.values[i];
      }
    }
    return total;
  }

  /// One warp: the sums through the steps. `end`: of the columns that this CTA has.
  static WARPLINE_DEVICE void leave(const Arguments& arguments, FourSums& sums, OutPlace at,
                                    int end) {
    const uint32_t lane = isa::lane_index();
    float(&x)[4] = sums.values;
    WARPLINE_UNROLL
    for (float& value : x) {
      value *= arguments.alpha;
    }
    const AccumulatorPlace<columns> place(at, lane, arguments.rows, end);
    const StepPasses<columns> passes(x, place, at.matrix, lane);
    WARPLINE_NO_UNROLL
    for (int i = 0; i < arguments.steps; ++i) {
      passes.apply(arguments.step[i]);
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
