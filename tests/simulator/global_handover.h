// CTAs that hand data to each other through global memory: split-K by an ordered reduction, a count
// of those who are ready, and both with one thing wrong.
#pragma once

#include "tests/support/catch.h"
#include "warpline/isa/atomic.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/special_registers.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {

enum class HandOver { right, no_release, no_acquire, no_synchronisation };

struct HandOverArguments {
  const int32_t* input;  ///< [parts][64]
  int32_t* sum;          ///< [64]
  uint32_t* turn;        ///< 0 at the start
};

/// CTA i adds its part to the sum after CTA i - 1: an ordered reduction, as stream-K does it.
template <HandOver Way>
struct OrderedSum {
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 2};
  };
  using Roles = RoleList<Worker>;
  using Arguments = HandOverArguments;
  struct SharedMemory {
    int32_t unused;
  };
  static constexpr LaunchConfig launch{.name = "ordered_sum"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory&) const {
    isa::enter_role("worker");
    const uint32_t part = isa::block_index().x;
    const uint32_t i = isa::thread_index();
    if (i == 0 && Way != HandOver::no_acquire) {
      isa::wait_at_least(args.turn, part, {"worker", "turn", 0});
    }
    isa::syncthreads();
    const int32_t before = part == 0 ? 0 : isa::load_global(args.sum + i);
    isa::store_global(args.sum + i, before + isa::load_global(args.input + part * 64 + i));
    if constexpr (Way != HandOver::no_synchronisation) {
      isa::syncthreads();
    }
    if (i == 0) {
      if constexpr (Way == HandOver::no_release) {
        isa::add_relaxed(args.turn, 1u);
      } else {
        isa::store_release(args.turn, part + 1);
      }
    }
  }
};

/// Every CTA adds with atomics; the last one to come, by its ticket, doubles the sum.
struct LastDoubles {
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 2};
  };
  using Roles = RoleList<Worker>;
  using Arguments = HandOverArguments;
  struct SharedMemory {
    uint32_t ticket;
  };
  static constexpr LaunchConfig launch{.name = "last_doubles"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    isa::enter_role("worker");
    const uint32_t part = isa::block_index().x;
    const uint32_t i = isa::thread_index();
    isa::add_relaxed(args.sum + i, isa::load_global(args.input + part * 64 + i));
    isa::syncthreads();
    if (i == 0) {
      isa::store_shared(shared.ticket, isa::add_acquire_release(args.turn, 1u));
    }
    isa::syncthreads();
    if (isa::load_shared(shared.ticket) == isa::grid_size().x - 1) {
      isa::store_global(args.sum + i, 2 * isa::load_global(args.sum + i));
    }
  }
};

/// As LastDoubles, but floats, four at a time: thread i adds 4 i to 4 i + 3 of its CTA's part.
struct LastDoublesFours {
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 2};
  };
  using Roles = RoleList<Worker>;
  struct Arguments {
    const float* input;  ///< [parts][256]
    float* sum;          ///< [256], zero at the start
    uint32_t* turn;      ///< 0 at the start
  };
  struct SharedMemory {
    uint32_t ticket;
  };
  static constexpr LaunchConfig launch{.name = "last_doubles_fours"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    isa::enter_role("worker");
    const uint32_t first = 4 * isa::thread_index();
    float mine[4];
    for (uint32_t i = 0; i < 4; ++i) {
      mine[i] = isa::load_global(args.input + isa::block_index().x * 256 + first + i);
    }
    isa::add_four_relaxed(args.sum + first, mine);
    isa::syncthreads();
    if (first == 0) {
      isa::store_shared(shared.ticket, isa::add_acquire_release(args.turn, 1u));
    }
    isa::syncthreads();
    if (isa::load_shared(shared.ticket) == isa::grid_size().x - 1) {
      for (uint32_t i = first; i < first + 4; ++i) {
        isa::store_global(args.sum + i, 2 * isa::load_global(args.sum + i));
      }
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
