// wgmma used against the rules of the PTX ISA ("Asynchronous Warpgroup Level Matrix Instructions").
#include <cuda_fp16.h>

#include <cmath>

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

/// The operands as ones, visible to the tensor cores.
void prepare(Shared& shared) {
  const auto thread = static_cast<int>(isa::thread_index());
  if (thread < 64) {
    for (int k = 0; k < 16; ++k) {
      shared.a.store(thread, k, __float2half(1));
      if (thread < columns) {
        shared.b.store(thread, k, __float2half(1));
      }
    }
  }
  isa::fence_proxy_async_shared();
  isa::syncthreads();
}

void multiply(Shared& shared, float (&d)[columns / 2], bool accumulate = false) {
  isa::wgmma<columns, isa::WgmmaOptions{}>(d, operand<isa::Major::k>(shared.a).at(0, 0),
                                           operand<isa::Major::k>(shared.b).at(0, 0), accumulate);
}

void multiply_registers(Shared& shared, float (&d)[columns / 2], const uint32_t (&a)[4]) {
  isa::wgmma_register_a<columns, isa::WgmmaOptions{}>(
      d, a, operand<isa::Major::k>(shared.b).at(0, 0), false);
}

void finish() {
  isa::wgmma_commit_group();
  isa::wgmma_wait_group<0>();
}

/// body(shared) in each of `threads` threads, once the operands are there.
template <class Body>
auto prepared(Body body, unsigned threads = 128) {
  return [=](const simulator::Options& options) {
    simulate_with<Shared>(one_cta<Shared>(threads), options, [&](Shared& shared) {
      prepare(shared);
      body(shared);
    });
  };
}

TEST_CASE("a correct multiply, and one that goes on after its sums were touched") {
  clean(prepared([](Shared& shared) {
          float d[columns / 2];
          isa::wgmma_fence();
          multiply(shared, d);
          multiply(shared, d, true);
          finish();
          CHECK(d[0] == 32);
          d[0] = 1;
          isa::wgmma_fence();
          multiply(shared, d, true);
          finish();
          CHECK(d[0] == 17);
        }),
        {.seeds = 2});
}

TEST_CASE("sums touched after the wait need a fence before the next multiply") {
  faults(FaultKind::wgmma_misuse, {"without wgmma_fence()"}, prepared([](Shared& shared) {
           float d[columns / 2];
           isa::wgmma_fence();
           multiply(shared, d);
           finish();
           d[0] = 1;
           multiply(shared, d, true);
           finish();
         }));
}

TEST_CASE("sums overwritten while the tensor cores own them") {
  faults(FaultKind::wgmma_race, {"an accumulator register was written", "warp 1, lane 8"},
         prepared([](Shared& shared) {
           float d[columns / 2];
           isa::wgmma_fence();
           multiply(shared, d);
           if (isa::thread_index() == 40) {
             d[2] = 0;
           }
           finish();
         }));
}

TEST_CASE("sums scaled while the tensor cores own them") {
  faults(FaultKind::wgmma_race, {"an accumulator register was written"},
         prepared([](Shared& shared) {
           float d[columns / 2];
           isa::wgmma_fence();
           multiply(shared, d);
           const volatile float factor = 0.5f;
           d[1] = d[1] * factor;
           finish();
         }));
}

TEST_CASE("sums read before the wait are no numbers") {
  clean(prepared([](Shared& shared) {
          float d[columns / 2];
          isa::wgmma_fence();
          multiply(shared, d);
          isa::wgmma_commit_group();
          for (const float& sum : d) {
            CHECK(std::isnan(sum));
          }
          isa::wgmma_wait_group<0>();
          CHECK(d[0] == 16);
        }),
        {.seeds = 2});
}

TEST_CASE("A registers changed before the wait") {
  const auto run = [](bool change_early) {
    return prepared([=](Shared& shared) {
      float d[columns / 2];
      const volatile uint32_t one = 0x3c003c00;  // two fp16 ones
      uint32_t a[4] = {one, one, one, one};
      isa::wgmma_fence();
      multiply_registers(shared, d, a);
      isa::wgmma_commit_group();
      if (change_early) {
        a[3] = 0;
      }
      isa::wgmma_wait_group<0>();
      a[3] = 0;
      if (!change_early) {
        CHECK(d[0] == 16);
      }
      simulator::shared_read(&shared, 4);  // keeps `a` alive
    });
  };
  faults(FaultKind::wgmma_race, {"an A register was changed"}, run(true));
  clean(run(false), {.seeds = 2});
}

TEST_CASE("another shape on sums in flight") {
  faults(FaultKind::wgmma_misuse, {"another shape"}, prepared([](Shared& shared) {
           float d[8];
           isa::wgmma_fence();
           multiply(shared, reinterpret_cast<float(&)[4]>(d));
           const auto b = operand<isa::Major::k>(shared.b).at(0, 0);
           isa::wgmma<16, isa::WgmmaOptions{}>(d, operand<isa::Major::k>(shared.a).at(0, 0), b,
                                               false);
         }));
}

TEST_CASE("threads of a warpgroup that disagree") {
  faults(FaultKind::warp_disagreement, {"disagree on descriptors, shape or options"},
         prepared([](Shared& shared) {
           float d[columns / 2] = {};
           isa::wgmma_fence();
           multiply(shared, d, isa::thread_index() >= 96);
           finish();
         }));
  faults(FaultKind::warp_disagreement, {"disagree on descriptors, shape or options"},
         prepared([](Shared& shared) {
           float d[columns / 2];
           isa::wgmma_fence();
           const auto a = operand<isa::Major::k>(shared.a).at(0, 0);
           const auto b = operand<isa::Major::k>(shared.b).at(0, 0);
           isa::wgmma<columns, isa::WgmmaOptions{}>(
               d, isa::thread_index() == 64 ? a.advanced(16) : a, b, false);
           finish();
         }));
}

TEST_CASE("a multiply that one warp does not issue") {
  faults(FaultKind::warp_disagreement,
         {"waits for wgmma 1 of its warpgroup: 0 are done, and only 96 of 128 threads have issued",
          "[96 threads"},
         prepared([](Shared& shared) {
           float d[columns / 2];
           if (isa::thread_index() < 96) {
             isa::wgmma_fence();
             multiply(shared, d);
             finish();
           }
         }));
}

TEST_CASE("four warps that do not start at a multiple of four") {
  faults(FaultKind::warp_disagreement, {"only 96 of 128 threads", "only 32 of 128 threads"},
         prepared(
             [](Shared& shared) {
               float d[columns / 2];
               if (isa::thread_index() >= 32 && isa::thread_index() < 160) {
                 isa::wgmma_fence();
                 multiply(shared, d);
                 finish();
               }
             },
             256));
}

TEST_CASE("warps of an incomplete warpgroup") {
  faults(FaultKind::wgmma_misuse, {"warp 4, which is not part of four warps"},
         prepared(
             [](Shared& shared) {
               float d[columns / 2];
               if (isa::thread_index() >= 128) {
                 isa::wgmma_fence();
                 multiply(shared, d);
               }
             },
             160));
}

}  // namespace
}  // namespace warpline::tests
