// What can still go wrong with a typed Pipeline.
#pragma once

#include "tests/simulator/faults/fault.h"
#include "warpline/pipeline.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct FaultLoader {
  static constexpr RoleConfig config{.name = "loader", .warps = 1};
};
struct FaultReader {
  static constexpr RoleConfig config{.name = "reader", .warps = 1};
};
struct FaultStage {
  SharedArray<int32_t, 32> row;
};
struct TwoTiles {
  FaultTileA a;
  FaultTileB b;
};

template <class Stage>
struct PipelineFault {
  using Roles = RoleList<FaultLoader, FaultReader>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<FaultLoader>,
                        ReadByThreads<FaultReader>>;
  using Loaders = ThreadGroup<Roles, FaultLoader>;
  using Readers = ThreadGroup<Roles, FaultReader>;
  using Shared = typename Ring::Storage;
  static constexpr ClusterShape cluster = {};
  static constexpr unsigned ctas = 1;
  static constexpr int registers(bool /*faulty*/) { return 0; }
};

/// A stage is read after it was handed on.
struct ClosedSlot : PipelineFault<FaultStage> {
  static constexpr FaultInfo info{.name = "closed-slot",
                                  .seen = {.rule = "closed-slot", .role = "reader"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    Ring ring(shared);
    dispatch<Roles>(
        [&](const Loaders& group) {
          auto end = ring.producer(group);
          for (auto slot : end.fill(4)) {
            slot.load(slot->row, args.in);
          }
        },
        [&](const Readers& group) {
          auto end = ring.consumer(group);
          int32_t sum = 0;
          for (auto slot : end.read(4)) {  // <- caught: closed-slot
            // [closed_slot]
            if constexpr (Faulty) {
              slot.release();
            }
            sum += slot->row.load(static_cast<int>(group.thread_rank()));
            // [closed_slot]
          }
          isa::store_global(&args.out[group.thread_rank()], sum);
        });
  }
};

/// One tile of the stage is never loaded.
struct ForgottenLoad : PipelineFault<TwoTiles> {
  static constexpr FaultInfo info{
      .name = "forgotten-load",
      .seen = {.rule = "bytes-not-delivered", .role = "reader", .other = "loader"},
      .stage = 0,
      .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    Ring ring(shared);
    dispatch<Roles>(
        [&](const Loaders& group) {
          auto end = ring.producer(group);
          for (auto slot : end.fill(1)) {
            slot.load(slot->a, args.a, {.row = 0, .column = 0});  // <- other: forgotten-load
            if constexpr (!Faulty) {
              slot.load(slot->b, args.b, {.row = 0, .column = 0});
            }
          }
        },
        [&](const Readers& group) {
          auto end = ring.consumer(group);
          for (auto slot : end.read(1)) {  // <- caught: forgotten-load
            const __half first = slot->a.load(0, 0);
            isa::store_global(&args.out[group.thread_rank()], static_cast<int32_t>(first));
          }
        });
  }
};

/// The consumer takes one turn fewer than the producer, which then never finds its stages free.
struct OneTurnTooFew : PipelineFault<FaultStage> {
  static constexpr FaultInfo info{
      .name = "one-turn-too-few", .seen = {.rule = "deadlock", .role = "loader"}, .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    Ring ring(shared);
    dispatch<Roles>(
        [&](const Loaders& group) {
          auto end = ring.producer(group);  // <- caught: one-turn-too-few
          for (auto slot : end.fill(4)) {
            slot.load(slot->row, args.in);
          }
        },
        [&](const Readers& group) {
          auto end = ring.consumer(group);
          int32_t sum = 0;
          for (auto slot : end.read(Faulty ? 3 : 4)) {
            sum += slot->row.load(static_cast<int>(group.thread_rank()));
          }
          isa::store_global(&args.out[group.thread_rank()], sum);
        });
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
