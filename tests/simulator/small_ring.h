// A ring in raw instructions with one warp for each role, small enough that all its schedules can
// be run, with one thing wrong at a time.
#pragma once

#include <vector>

#include "tests/support/faults.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"

namespace warpline::tests {

enum class Planted {
  nothing,
  no_wait_for_full,
  no_wait_for_empty,
  producer_starts_at_parity_0,
  consumer_starts_at_parity_1,
  released_before_read,
  released_twice,
  not_released,
  last_not_released,
  no_proxy_fence,
  one_arrival_too_many_expected,
  one_arrival_too_few_expected,
  sixteen_bytes_too_many,
  sixteen_bytes_too_few,
  no_drain,
  reads_one_tile_less,
  reads_one_tile_more,
  no_barrier_fence,
  no_synchronisation_after_init,
};

inline constexpr Planted every_fault[] = {Planted::no_wait_for_full,
                                          Planted::no_wait_for_empty,
                                          Planted::producer_starts_at_parity_0,
                                          Planted::consumer_starts_at_parity_1,
                                          Planted::released_before_read,
                                          Planted::released_twice,
                                          Planted::not_released,
                                          Planted::last_not_released,
                                          Planted::no_proxy_fence,
                                          Planted::one_arrival_too_many_expected,
                                          Planted::one_arrival_too_few_expected,
                                          Planted::sixteen_bytes_too_many,
                                          Planted::sixteen_bytes_too_few,
                                          Planted::no_drain,
                                          Planted::reads_one_tile_less,
                                          Planted::reads_one_tile_more,
                                          Planted::no_barrier_fence,
                                          Planted::no_synchronisation_after_init};

/// Warp 0 copies `tiles` rows of 32 floats in; warps 1.. each add all of them up.
class SmallRing {
 public:
  static constexpr int most_stages = 3;
  struct Shared {
    alignas(16) float row[most_stages][32];
    isa::Mbarrier full[most_stages];
    isa::Mbarrier empty[most_stages];
  };
  static constexpr unsigned bytes = sizeof(float) * 32;

  SmallRing(int stages, int tiles, int consumers, Planted planted = Planted::nothing)
      : stages_(stages), tiles_(tiles), consumers_(consumers), planted_(planted) {
    for (int i = 0; i < (tiles + 1) * 32; ++i) {
      input_.push_back(static_cast<float>(i % 31));
    }
  }

  void run(const simulator::Options& options) {
    sums_.assign(static_cast<std::size_t>(consumers_) * 32, -1);
    simulate_with<Shared>(one_cta<Shared>(32 * static_cast<unsigned>(1 + consumers_)), options,
                          [this](Shared& shared) { thread(shared); });
  }

  bool right() const {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      float sum = 0;
      for (int tile = 0; tile < tiles_; ++tile) {
        sum += input_[static_cast<std::size_t>(tile) * 32 + i % 32];
      }
      if (sums_[i] != sum) {
        return false;
      }
    }
    return true;
  }

 private:
  bool is(Planted fault) const { return planted_ == fault; }

  void thread(Shared& shared) {
    if (isa::thread_index() == 0) {
      const int expected = consumers_ + (is(Planted::one_arrival_too_many_expected)  ? 1
                                         : is(Planted::one_arrival_too_few_expected) ? -1
                                                                                     : 0);
      for (int s = 0; s < stages_; ++s) {
        isa::name_mbarrier(shared.full[s], "full", s);
        isa::name_mbarrier(shared.empty[s], "empty", s);
        isa::mbarrier_init(shared.full[s], 1);
        isa::mbarrier_init(shared.empty[s], static_cast<unsigned>(expected < 1 ? 2 : expected));
      }
      if (!is(Planted::no_barrier_fence)) {
        isa::fence_mbarrier_init();
      }
    }
    if (!is(Planted::no_synchronisation_after_init)) {
      isa::syncthreads();
    }
    if (isa::thread_index() < 32) {
      isa::enter_role("producer");
      produce(shared);
    } else {
      isa::enter_role("consumer");
      consume(shared);
    }
  }

  void produce(Shared& shared) {
    int stage = 0;
    uint32_t parity = is(Planted::producer_starts_at_parity_0) ? 0 : 1;
    const auto advance = [&] {
      stage = (stage + 1) % stages_;
      parity ^= stage == 0 ? 1 : 0;
    };
    for (int tile = 0; tile < tiles_; ++tile) {
      if (!is(Planted::no_wait_for_empty)) {
        isa::wait(shared.empty[stage], parity, {"producer", "empty", stage});
      }
      isa::syncwarp();
      if (isa::elect_one()) {
        const unsigned announced = bytes + (is(Planted::sixteen_bytes_too_many)  ? 16
                                            : is(Planted::sixteen_bytes_too_few) ? -16
                                                                                 : 0);
        isa::mbarrier_arrive_expect_tx(shared.full[stage], announced);
        isa::bulk_load(shared.row[stage], &input_[static_cast<std::size_t>(tile) * 32], bytes,
                       shared.full[stage]);
      }
      advance();
    }
    for (int i = 0; i < stages_ && !is(Planted::no_drain); ++i) {
      isa::wait(shared.empty[stage], parity, {"producer", "empty", stage});
      advance();
    }
  }

  void consume(Shared& shared) {
    int stage = 0;
    uint32_t parity = is(Planted::consumer_starts_at_parity_1) ? 1 : 0;
    const uint32_t lane = isa::thread_index() % 32;
    float sum = 0;
    const int turns = tiles_ + (is(Planted::reads_one_tile_more)   ? 1
                                : is(Planted::reads_one_tile_less) ? -1
                                                                   : 0);
    for (int tile = 0; tile < turns; ++tile) {
      if (!is(Planted::no_wait_for_full)) {
        isa::wait(shared.full[stage], parity, {"consumer", "full", stage});
      }
      if (is(Planted::released_before_read)) {
        release(shared.empty[stage]);
      }
      sum += isa::load_shared(shared.row[stage][lane]);
      if (!is(Planted::no_proxy_fence)) {
        isa::fence_proxy_async_shared();
      }
      const bool last = tile == tiles_ - 1;
      if (!is(Planted::released_before_read) && !is(Planted::not_released) &&
          !(is(Planted::last_not_released) && last)) {
        release(shared.empty[stage]);
      }
      if (is(Planted::released_twice)) {
        release(shared.empty[stage]);
      }
      stage = (stage + 1) % stages_;
      parity ^= stage == 0 ? 1 : 0;
    }
    sums_[isa::thread_index() - 32] = sum;
  }

  static void release(isa::Mbarrier& empty) {
    isa::syncwarp();
    if (isa::elect_one()) {
      isa::mbarrier_arrive(empty);
    }
  }

  int stages_;
  int tiles_;
  int consumers_;
  Planted planted_;
  std::vector<float> input_;
  std::vector<float> sums_;
};

}  // namespace warpline::tests
