// The warp-specialised pipeline in raw instructions, with one thing wrong at a time. Below the
// typed API, which does not let most of these be written.
#pragma once

#include <vector>

#include "tests/support/faults.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/wait.h"
#include "warpline/make_tensor_map.h"
#include "warpline/operand.h"

namespace warpline::tests {

enum class Mutation {
  none,
  producer_starts_at_parity_0,
  consumer_starts_at_parity_1,
  one_arrival_too_many_expected,
  one_thread_does_not_release,
  sixteen_bytes_too_many,
  sixteen_bytes_too_few,
  no_wait_for_empty,
  no_wait_for_full,
  release_before_wgmma_wait,
  wgmma_wait_leaves_one,
  no_commit,
  no_wgmma_fence,
  no_barrier_fence,
  no_synchronisation_after_init,
};

/// out[64][8] = A[64][16 k_tiles] * B[8][16 k_tiles]^T. Warps 0-3 multiply, warp 4 loads.
class RawPipeline {
 public:
  static constexpr int stages = 3;
  static constexpr int rows = 64;
  static constexpr int columns = 8;
  static constexpr int depth = 16;
  using A = SharedTile<__half, rows, depth>;
  using B = SharedTile<__half, columns, depth>;
  struct Shared {
    A a[stages];
    B b[stages];
    isa::Mbarrier full[stages];
    isa::Mbarrier empty[stages];
  };
  static constexpr int bytes = A::bytes + B::bytes;

  explicit RawPipeline(int k_tiles, Mutation mutation = Mutation::none)
      : k_tiles_(k_tiles), mutation_(mutation), a_(filled(rows)), b_(filled(columns)) {
    const int k = k_tiles * depth;
    a_map_ = make_tensor_map<A>(MatrixView<__half>{a_.data(), rows, k, k}, "A");
    b_map_ = make_tensor_map<B>(MatrixView<__half>{b_.data(), columns, k, k}, "B");
  }

  /// Throws what the simulator reports. The sums are then in out().
  simulator::Statistics run(const simulator::Options& options) {
    out_.assign(rows * columns, -1);
    return simulate_with<Shared>(one_cta<Shared>(160), options,
                                 [this](Shared& shared) { thread(shared); });
  }
  const std::vector<float>& out() const { return out_; }

  /// Element (i, k) of A or B.
  static int element(int i, int k) { return (i * 3 + k) % 7 - 3; }
  float expected(int row, int column) const {
    int sum = 0;
    for (int k = 0; k < k_tiles_ * depth; ++k) {
      sum += element(row, k) * element(column, k);
    }
    return static_cast<float>(sum);
  }

 private:
  bool is(Mutation mutation) const { return mutation_ == mutation; }

  std::vector<__half> filled(int count) const {
    std::vector<__half> values;
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < k_tiles_ * depth; ++k) {
        values.push_back(__float2half(static_cast<float>(element(i, k))));
      }
    }
    return values;
  }

  void thread(Shared& shared) {
    if (isa::thread_index() == 0) {
      for (int s = 0; s < stages; ++s) {
        isa::name_mbarrier(shared.full[s], "full", s);
        isa::name_mbarrier(shared.empty[s], "empty", s);
        isa::mbarrier_init(shared.full[s], 1);
        isa::mbarrier_init(shared.empty[s],
                           is(Mutation::one_arrival_too_many_expected) ? 129 : 128);
      }
      if (!is(Mutation::no_barrier_fence)) {
        isa::fence_mbarrier_init();
      }
    }
    if (!is(Mutation::no_synchronisation_after_init)) {
      isa::syncthreads();
    }
    if (isa::thread_index() == 128) {
      isa::enter_role("producer");
      produce(shared);
    } else if (isa::thread_index() < 128) {
      isa::enter_role("consumer");
      consume(shared);
    }
  }

  void produce(Shared& shared) {
    uint32_t parity = is(Mutation::producer_starts_at_parity_0) ? 0 : 1;
    for (int k = 0; k < k_tiles_; ++k) {
      const int s = k % stages;
      if (!is(Mutation::no_wait_for_empty)) {
        isa::wait(shared.empty[s], parity, {"producer", "empty", s});
      }
      const int wrong = is(Mutation::sixteen_bytes_too_many)  ? 16
                        : is(Mutation::sixteen_bytes_too_few) ? -16
                                                              : 0;
      isa::mbarrier_arrive_expect_tx(shared.full[s], static_cast<uint32_t>(bytes + wrong));
      isa::tensor_load<2>(shared.a[s].elements, a_map_, {k * depth, 0}, shared.full[s]);
      isa::tensor_load<2>(shared.b[s].elements, b_map_, {k * depth, 0}, shared.full[s]);
      parity ^= s == stages - 1 ? 1 : 0;
    }
    for (int k = k_tiles_; k < k_tiles_ + stages; ++k) {  // drain
      isa::wait(shared.empty[k % stages], parity, {"producer", "empty", k % stages});
      parity ^= k % stages == stages - 1 ? 1 : 0;
    }
  }

  void consume(Shared& shared) {
    uint32_t parity = is(Mutation::consumer_starts_at_parity_1) ? 1 : 0;
    float d[columns / 2];
    for (int k = 0; k < k_tiles_; ++k) {
      const int s = k % stages;
      if (!is(Mutation::no_wait_for_full)) {
        isa::wait(shared.full[s], parity, {"consumer", "full", s});
      }
      if (!is(Mutation::no_wgmma_fence)) {
        isa::wgmma_fence();
      }
      isa::wgmma<columns, isa::WgmmaOptions{}>(d, operand<isa::Major::k>(shared.a[s]).at(0, 0),
                                               operand<isa::Major::k>(shared.b[s]).at(0, 0), k > 0);
      if (!is(Mutation::no_commit)) {
        isa::wgmma_commit_group();
      }
      if (is(Mutation::release_before_wgmma_wait)) {
        isa::mbarrier_arrive(shared.empty[s]);
      }
      if (is(Mutation::wgmma_wait_leaves_one)) {
        isa::wgmma_wait_group<1>();
      } else {
        isa::wgmma_wait_group<0>();
      }
      if (!is(Mutation::release_before_wgmma_wait) &&
          !(is(Mutation::one_thread_does_not_release) && isa::thread_index() == 5)) {
        isa::mbarrier_arrive(shared.empty[s]);
      }
      parity ^= s == stages - 1 ? 1 : 0;
    }
    isa::wgmma_wait_group<0>();
    const uint32_t thread = isa::thread_index();
    for (uint32_t i = 0; i < columns / 2; ++i) {
      const uint32_t row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
      out_[row * columns + thread % 4 * 2 + i % 2] = d[i];
    }
  }

  int k_tiles_;
  Mutation mutation_;
  std::vector<__half> a_;
  std::vector<__half> b_;
  std::vector<float> out_;
  TensorMap<A> a_map_;
  TensorMap<B> b_map_;
};

}  // namespace warpline::tests
