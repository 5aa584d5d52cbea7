// Loops that are left early, and stages taken only when they are ready: whatever way a slot goes,
// it hands its stage on.
#include "tests/warpline/sum_kernel.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using LeavingProducer = SumProducer<1>;
using Consumer = SumConsumer<4>;
using Roles = RoleList<Consumer, LeavingProducer>;
struct Stage {
  SumTile tile;
};

enum class Exit { break_out, return_out, single_slots, poll };

/// Tiles of k_tiles stages, one more of them is thrown away in the middle of each tile: the
/// producer leaves its loop without having loaded anything, the consumer without having read.
template <Exit How, Release Policy>
struct EarlyExitKernel {
  using Ring = Pipeline<Stage, PipelineConfig{.stages = 3, .release = Policy},
                        FilledByCopies<LeavingProducer>, ReadByThreads<Consumer>>;
  using Roles = tests::Roles;
  using Arguments = SumArguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "early_exit"};

  template <class Slots, class Body>
  static WARPLINE_DEVICE void first(Slots slots, int count, Body body) {
    int i = 0;
    if constexpr (How == Exit::break_out) {
      for (auto slot : slots) {
        if (i++ == count) {
          break;
        }
        body(slot);
      }
    } else {
      [&] {
        for (auto slot : slots) {
          if (i++ == count) {
            return;
          }
          body(slot);
        }
      }();
    }
  }

  template <class End, class Body>
  static WARPLINE_DEVICE void single(End& end, int count, Body body) {
    for (int i = 0; i < count; ++i) {
      if constexpr (How == Exit::poll) {
        while (true) {
          auto slot = end.try_acquire();
          if (slot) {
            body(slot);
            break;
          }
        }
      } else {
        auto slot = end.acquire();
        body(slot);
      }
    }
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    const int half = arguments.k_tiles / 2;
    const int rest = arguments.k_tiles - half;
    constexpr bool ranges = How == Exit::break_out || How == Exit::return_out;
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, LeavingProducer>& group) {
          auto end = ring.producer(group);
          int row = 0;
          const auto fill = [&](auto& slot) {
            slot.load(slot->tile, arguments.input, {.row = row, .column = 0});
            row += SumTile::rows;
          };
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            if constexpr (ranges) {
              first(end.fill(1000), half, fill);
              first(end.fill(rest), rest, fill);
            } else {
              single(end, half, fill);
              single(end, 1, [](auto&) {});
              single(end, rest, fill);
            }
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          TileSums sums(group);
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            int k = 0;
            const auto add = [&](auto& slot) {
              sums.add(++k, [&](int row, int column) { return slot->tile.load(row, column); });
            };
            if constexpr (ranges) {
              first(end.read(1000), half, add);
              first(end.read(rest), rest, add);
            } else {
              single(end, half, add);
              single(end, 1, [](auto& slot) { slot.release(); });
              single(end, rest, add);
            }
            sums.store(arguments.out + tile * sum_elements);
          }
        });
  }
};

template <Exit How>
void check_exits() {
  // Who polls on the simulator's adversary waits long.
  constexpr int seeds = How == Exit::poll ? 2 : 6;
  for (const int k_tiles : {0, 1, 2, 5, 8}) {
    check_sums_of<EarlyExitKernel<How, Release::per_thread>>(3, k_tiles, seeds, weighted);
    check_sums_of<EarlyExitKernel<How, Release::per_warp>>(3, k_tiles, seeds, weighted);
    check_sums_of<EarlyExitKernel<How, Release::per_warpgroup>>(3, k_tiles, seeds, weighted);
  }
}

TEST_CASE("break hands the stage on") { check_exits<Exit::break_out>(); }
TEST_CASE("return hands the stage on") { check_exits<Exit::return_out>(); }
TEST_CASE("single slots, some released early") { check_exits<Exit::single_slots>(); }
TEST_CASE("slots taken when they are ready") { check_exits<Exit::poll>(); }

/// The producer fills the ring's stages in loops of one, and only then lets the consumer begin.
struct RunAheadKernel {
  static constexpr int stages = 4;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = stages}, FilledByCopies<LeavingProducer>,
                        ReadByThreads<Consumer>>;
  using Roles = tests::Roles;
  using Arguments = SumArguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "run_ahead"};
  static constexpr uint32_t started = 15;  // a named barrier that no role has
  static constexpr uint32_t all_threads = Roles::threads;

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, LeavingProducer>& group) {
          auto end = ring.producer(group);
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            for (auto slot : end.fill(1)) {
              slot.load(slot->tile, arguments.input, {.row = tile * SumTile::rows, .column = 0});
            }
            if (tile == stages - 1) {
              isa::named_barrier_arrive(started, all_threads);
            }
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          TileSums sums(group);
          isa::named_barrier_sync(started, all_threads);
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            for (auto slot : end.read(1)) {
              sums.add(1, [&](int row, int column) { return slot->tile.load(row, column); });
            }
            sums.store(arguments.out + tile * sum_elements);
          }
        });
  }
};

TEST_CASE("the producer runs ahead across loops: a loop's end waits for nothing") {
  for (const int tiles : {4, 5, 9}) {
    check_sums_of<RunAheadKernel>(tiles, 1, 10, weighted);
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
