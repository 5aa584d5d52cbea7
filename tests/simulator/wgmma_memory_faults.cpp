// Multiplies and the shared memory that they read.
#include <cuda_fp16.h>

#include "tests/support/faults.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/fence.h"
#include "warpline/operand.h"

namespace warpline::tests {
namespace {

constexpr int columns = 8;

struct Shared {
  SharedTile<__half, 64, 16> a;
  SharedTile<__half, columns, 16> b;
};

enum class Missing { nothing, one_fence, synchronisation, one_element };

void prepare(Shared& shared, Missing missing = Missing::nothing) {
  const auto thread = static_cast<int>(isa::thread_index());
  const int written = missing == Missing::one_element && thread == 63 ? 8 : 16;
  if (thread < 64) {
    for (int k = 0; k < written; ++k) {
      shared.a.store(thread, k, __float2half(1));
      if (thread < columns) {
        shared.b.store(thread, k, __float2half(1));
      }
    }
  }
  if (missing != Missing::one_fence || thread != 37) {
    isa::fence_proxy_async_shared();
  }
  if (missing != Missing::synchronisation) {
    isa::syncthreads();
  }
}

template <class Body>
auto on_warpgroup(Body body) {
  return [=](const simulator::Options& options) {
    simulate_with<Shared>(one_cta<Shared>(128), options, body);
  };
}

void multiply(Shared& shared, uint32_t a_offset = 0) {
  float d[columns / 2];
  isa::wgmma_fence();
  isa::wgmma<columns, isa::WgmmaOptions{}>(
      d, operand<isa::Major::k>(shared.a).at(0, 0).advanced(a_offset),
      operand<isa::Major::k>(shared.b).at(0, 0), false);
  isa::wgmma_commit_group();
  isa::wgmma_wait_group<0>();
}

TEST_CASE("operands written by threads: fenced and synchronised") {
  clean(on_warpgroup([](Shared& shared) {
    prepare(shared);
    multiply(shared);
  }));
}

TEST_CASE("operands written by threads: one of them does not fence") {
  faults(FaultKind::proxy_fence_missing,
         {"wgmma reads shared memory", "ordinary write by thread (CTA 0, warp 1)",
          "no proxy fence stands between", "fence_proxy_async_shared()"},
         on_warpgroup([](Shared& shared) {
           prepare(shared, Missing::one_fence);
           multiply(shared);
         }));
}

TEST_CASE("operands written by threads: fenced, but not synchronised") {
  faults({FaultKind::proxy_fence_missing, FaultKind::uninitialised_read}, {"wgmma reads"},
         on_warpgroup([](Shared& shared) {
           prepare(shared, Missing::synchronisation);
           multiply(shared);
         }));
}

TEST_CASE("operands that nobody has written") {
  faults(FaultKind::uninitialised_read,
         {"wgmma reads shared memory at offset", "which nobody has written"},
         on_warpgroup([](Shared& shared) {
           prepare(shared, Missing::one_element);
           multiply(shared);
         }));
}

TEST_CASE("operands beyond shared memory") {
  faults(FaultKind::out_of_bounds, {"wgmma reads beyond the CTA's shared memory"},
         on_warpgroup([](Shared& shared) {
           prepare(shared);
           multiply(shared, sizeof(Shared));
         }));
}

TEST_CASE("an operand rewritten before the wait") {
  faults(
      FaultKind::wgmma_race,
      {"an ordinary write writes shared memory at offset 0", "a multiply's read of the same bytes"},
      on_warpgroup([](Shared& shared) {
        prepare(shared);
        float d[columns / 2];
        isa::wgmma_fence();
        isa::wgmma<columns, isa::WgmmaOptions{}>(d, operand<isa::Major::k>(shared.a).at(0, 0),
                                                 operand<isa::Major::k>(shared.b).at(0, 0), false);
        isa::wgmma_commit_group();
        // Until here the multiply cannot be complete: the last thread to come issues it.
        isa::syncthreads();
        shared.a.store(0, 0, __float2half(2));
        isa::wgmma_wait_group<0>();
      }));
}

TEST_CASE("a CTA that leaves with a multiply that only three warps have issued") {
  faults(FaultKind::exited_cta, {"CTA 0 left, and only 96 of 128 threads had issued a multiply"},
         on_warpgroup([](Shared& shared) {
           prepare(shared);
           float d[columns / 2];
           if (isa::thread_index() < 96) {
             isa::wgmma_fence();
             isa::wgmma<columns, isa::WgmmaOptions{}>(d, operand<isa::Major::k>(shared.a).at(0, 0),
                                                      operand<isa::Major::k>(shared.b).at(0, 0),
                                                      false);
             isa::wgmma_commit_group();
           }
         }));
}

TEST_CASE("a CTA that leaves with a multiply under way") {
  faults(FaultKind::exited_cta, {"left", "multiply"}, on_warpgroup([](Shared& shared) {
           prepare(shared);
           float d[columns / 2];
           isa::wgmma_fence();
           isa::wgmma<columns, isa::WgmmaOptions{}>(d, operand<isa::Major::k>(shared.a).at(0, 0),
                                                    operand<isa::Major::k>(shared.b).at(0, 0),
                                                    false);
           isa::wgmma_commit_group();
         }));
}

}  // namespace
}  // namespace warpline::tests
