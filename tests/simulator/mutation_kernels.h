// Small kernels for the mutation tool: each has some kinds of instructions, and checks its result.
#pragma once

#include <vector>

#include "simulator/mutation.h"
#include "tests/support/faults.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/bulk_group.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"

namespace warpline::tests {

using simulator::Options;

struct MutationMemory {
  alignas(128) int data[64];
  isa::Mbarrier ready;
};

/// Runs body(shared, out) in 64 threads; whether `out` is then what `wanted` says for each thread.
template <class Body, class Wanted>
bool gives(const Options& options, Wanted wanted, Body body) {
  alignas(16) int out[64] = {};
  simulate_with<MutationMemory>(one_cta<MutationMemory>(64), options,
                                [&](MutationMemory& shared) { body(shared, out); });
  for (int i = 0; i < 64; ++i) {
    if (out[i] != wanted(i)) {
      return false;
    }
  }
  return true;
}

/// Warp 1 hands data to warp 0 through an mbarrier, each thread for itself.
inline bool handed_over(const Options& options) {
  return gives(
      options, [](int i) { return i < 32 ? 7 * i : 0; },
      [](MutationMemory& shared, int* out) {
        const auto thread = static_cast<int>(isa::thread_index());
        if (thread == 0) {
          isa::name_mbarrier(shared.ready, "ready", 0);
          isa::mbarrier_init(shared.ready, 32);
        }
        isa::syncthreads();
        if (thread >= 32) {
          isa::enter_role("writer");
          isa::store_shared(shared.data[thread - 32], 7 * (thread - 32));
          isa::mbarrier_arrive(shared.ready);
        } else {
          isa::enter_role("reader");
          isa::wait(shared.ready, 0, {"reader", "ready", 0});
          out[thread] = isa::load_shared(shared.data[thread]);
        }
      });
}

/// The copy engine brings 64 numbers in two rounds, announced apart from the arrival; each round is
/// added up.
inline bool loaded_in_rounds(const Options& options) {
  alignas(16) static const auto source = [] {
    struct {
      int values[128];
    } numbers;
    for (int i = 0; i < 128; ++i) {
      numbers.values[i] = i;
    }
    return numbers;
  }();
  return gives(
      options, [](int i) { return i + (i + 64); },
      [](MutationMemory& shared, int* out) {
        const auto thread = static_cast<int>(isa::thread_index());
        if (thread == 0) {
          isa::mbarrier_init(shared.ready, 1);
          isa::fence_mbarrier_init();
        }
        isa::syncthreads();
        for (uint32_t round = 0; round < 2; ++round) {
          if (thread == 0) {
            isa::mbarrier_expect_tx(shared.ready, 256);
            isa::bulk_load(shared.data, source.values + 64 * round, 256, shared.ready);
            isa::mbarrier_arrive(shared.ready);
          }
          while (!isa::mbarrier_try_wait(shared.ready, round)) {
          }
          out[thread] += isa::load_shared(shared.data[thread]);
          isa::fence_proxy_async_shared();
          isa::syncthreads();
        }
      });
}

/// Each thread writes a number, the copy engine stores them all, and a thread reads them back.
inline bool stored_and_read(const Options& options) {
  alignas(16) static thread_local int target[64];
  return gives(
      options, [](int i) { return 5 * i; },
      [](MutationMemory& shared, int* out) {
        const auto thread = static_cast<int>(isa::thread_index());
        isa::store_shared(shared.data[thread], 5 * thread);
        isa::fence_proxy_async_shared();
        isa::named_barrier_sync(1, 64);
        if (thread == 0) {
          isa::bulk_store(target, shared.data, 256);
          isa::bulk_commit_group();
          isa::bulk_wait_group<0>();
        }
        isa::named_barrier_sync(1, 64);
        out[thread] = isa::load_global(&target[thread]);
      });
}

}  // namespace warpline::tests
