// v3 of the ladder with nothing of the Pipeline: barriers, parities, bytes and the drain typed in.
// docs/ladder/v3.md shows it beside the kernel that has them from types, and what the simulator
// says to four mistakes in it (ladder_faults.cpp).
#pragma once

#include "samples/ladder/problem.h"
#include "warpline/copy.h"
#include "warpline/isa/wait.h"
#include "warpline/ring_position.h"
#include "warpline/thread_group.h"

namespace ladder::inline WARPLINE_TARGET {

struct ByHand {
  static constexpr int stages = 2;
  static constexpr LadderConfig config{.stages = stages};
  using Arguments = Operands<config>;
  struct SharedMemory {
    Arguments::ATile a[stages];
    Arguments::BTile b[stages];
    isa::Mbarrier full[stages];
    isa::Mbarrier empty[stages];
  };

  // [producer]
  // One thread of warp 4.
  static WARPLINE_DEVICE void produce(const Arguments& args, SharedMemory& shared, int m, int n) {
    RingPosition<stages> at{.parity = 1};
    for (int tile = 0; tile < args.k_tiles; ++tile) {
      isa::wait(shared.empty[at.stage], at.parity, {"producer", "empty", at.stage});
      isa::Mbarrier& full = shared.full[at.stage];
      isa::mbarrier_arrive_expect_tx(full, shared.a->bytes + shared.b->bytes);
      load_tile(shared.a[at.stage], args.a, {m, tile * config.block_k}, full);
      load_tile(shared.b[at.stage], args.b, {n, tile * config.block_k}, full);
      at.advance();
    }
    for (int i = 0; i < stages; ++i) {  // drain
      isa::wait(shared.empty[at.stage], at.parity, {"producer", "empty", at.stage});
      at.advance();
    }
  }
  // [producer]

  // [consumer]
  // All threads of warps 0 to 3.
  static WARPLINE_DEVICE void consume(const Arguments& args, SharedMemory& shared, int m, int n) {
    RingPosition<stages> at{.parity = 0};
    Accumulator<config.block_m, config.block_n> sum;
    for (int tile = 0; tile < args.k_tiles; ++tile) {
      isa::wait(shared.full[at.stage], at.parity, {"consumer", "full", at.stage});
      mma(sum, shared.a[at.stage], shared.b[at.stage]).wait();
      isa::mbarrier_arrive(shared.empty[at.stage]);
      at.advance();
    }
    store(sum, args.c, m, n, isa::thread_index());
  }
  // [consumer]
};

/// The kernel around the two: `Body` is ByHand, or one with a mistake.
template <class Body>
struct ByHandKernel {
  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  using Arguments = ByHand::Arguments;
  using SharedMemory = ByHand::SharedMemory;
  static constexpr LaunchConfig launch{.name = "by_hand"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    const int m = args.tile().m * ByHand::config.block_m;
    const int n = args.tile().n * ByHand::config.block_n;
    // [init]
    if (isa::thread_index() == 0) {
      for (int stage = 0; stage < ByHand::stages; ++stage) {
        isa::name_mbarrier(shared.full[stage], "full", stage);  // for reports
        isa::name_mbarrier(shared.empty[stage], "empty", stage);
        isa::mbarrier_init(shared.full[stage], 1);     // the thread that announces the bytes
        isa::mbarrier_init(shared.empty[stage], 128);  // every thread of the consumer
      }
      isa::fence_mbarrier_init();
    }
    isa::syncthreads();
    // [init]
    if (isa::thread_index() < 128) {
      isa::enter_role("consumer");
      Body::consume(args, shared, m, n);
    } else if (isa::thread_index() == 128) {
      isa::enter_role("producer");
      Body::produce(args, shared, m, n);
    }
  }
};

}  // namespace ladder::inline WARPLINE_TARGET
