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
  static constexpr int block_k = config.block_k;
  using Arguments = Operands<config>;
  using Sum = Accumulator<config.block_m, config.block_n>;
  struct SharedMemory {
    Arguments::ATile a[stages];
    Arguments::BTile b[stages];
    isa::Mbarrier full[stages];
    isa::Mbarrier empty[stages];
  };

  const Arguments& args;
  SharedMemory& in;
  int m;
  int n;

  static WARPLINE_DEVICE void wait(isa::Mbarrier& barrier, uint32_t parity,
                                   SourceLine where = SourceLine::current()) {
    isa::wait(barrier, parity, {.role = "by hand", .barrier = "barrier", .stage = 0}, where);
  }

  // [producer]
  // One thread of warp 4.
  WARPLINE_DEVICE void produce() {
    RingPosition<stages> at{.parity = 1};
    for (int t = 0; t < args.k_tiles; ++t) {
      const int s = at.stage;
      const int k = t * block_k;
      wait(in.empty[s], at.parity);
      const uint32_t bytes = in.a->bytes + in.b->bytes;
      isa::mbarrier_arrive_expect_tx(in.full[s], bytes);
      load_tile(in.a[s], args.a, {m, k}, in.full[s]);
      load_tile(in.b[s], args.b, {n, k}, in.full[s]);
      at.advance();
    }
    for (int i = 0; i < stages; ++i) {  // drain
      wait(in.empty[at.stage], at.parity);
      at.advance();
    }
  }
  // [producer]

  // [consumer]
  // All threads of warps 0 to 3.
  WARPLINE_DEVICE void consume() {
    RingPosition<stages> at{.parity = 0};
    Sum sum;
    for (int t = 0; t < args.k_tiles; ++t) {
      const int s = at.stage;
      wait(in.full[s], at.parity);
      mma(sum, in.a[s], in.b[s]).wait();
      isa::mbarrier_arrive(in.empty[s]);
      at.advance();
    }
    store(sum, args.c, m, n, isa::thread_index());
  }
  // [consumer]
};

/// The kernel around the two: `Body` derives from ByHand.
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
      Body{{args, shared, m, n}}.consume();
    } else if (isa::thread_index() == 128) {
      isa::enter_role("producer");
      Body{{args, shared, m, n}}.produce();
    }
  }
};

}  // namespace ladder::inline WARPLINE_TARGET
