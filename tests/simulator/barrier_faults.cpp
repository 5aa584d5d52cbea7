// Named barriers, what a warp does together, and registers handed from role to role.
#include "tests/support/faults.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/setmaxnreg.h"
#include "warpline/isa/special_registers.h"
#include "warpline/isa/stmatrix.h"
#include "warpline/isa/warp.h"

namespace warpline::tests {
namespace {

struct Shared {
  alignas(16) uint16_t data[64][8];
};

template <class Body>
auto with_threads(unsigned threads, Body body, int registers = 0) {
  return [=](const simulator::Options& options) {
    simulator::Launch launch = one_cta<Shared>(threads);
    launch.registers = registers;
    simulate_with<Shared>(launch, options, body);
  };
}

TEST_CASE("named barriers: clean use") {
  clean(with_threads(128, [](Shared&) {
    for (int i = 0; i < 5; ++i) {
      isa::named_barrier_sync(1 + isa::thread_index() / 64, 64);
      isa::syncthreads();
      if (isa::thread_index() < 64) {
        isa::named_barrier_arrive(15, 128);
      } else {
        isa::named_barrier_sync(15, 128);
      }
    }
  }));
}

TEST_CASE("named barriers: numbers that do not exist") {
  faults(FaultKind::named_barrier_misuse, {"there is no named barrier 16"},
         with_threads(32, [](Shared&) { isa::named_barrier_sync(16, 32); }));
  for (const uint32_t threads : {0u, 16u, 33u, 1056u}) {
    faults(FaultKind::named_barrier_misuse, {"named barrier 1 for", "a multiple of 32"},
           with_threads(32, [=](Shared&) { isa::named_barrier_sync(1, threads); }));
  }
}

TEST_CASE("named barriers: two counts at once") {
  faults(FaultKind::named_barrier_misuse, {"named barrier 3 is used with", "others wait on it for"},
         with_threads(128, [](Shared&) {
           isa::named_barrier_sync(3, isa::thread_index() < 64 ? 128 : 96);
         }));
}

TEST_CASE("named barriers: too few threads come") {
  faults(FaultKind::deadlock,
         {"reader (CTA 0) waits for named barrier 3: 64 of 96 threads have arrived [64 threads",
          "64 threads have left"},
         with_threads(128, [](Shared&) {
           if (isa::thread_index() < 64) {
             isa::enter_role("reader");
             isa::named_barrier_sync(3, 96);
           }
         }));
}

TEST_CASE("lanes of a warp at different operations") {
  faults(FaultKind::warp_disagreement,
         {"lanes of one warp are at different operations", "syncwarp", "shuffle"},
         with_threads(32, [](Shared&) {
           if (isa::thread_index() < 7) {
             isa::syncwarp();
           } else {
             isa::shuffle(1, 0);
           }
         }));
}

TEST_CASE("a lane that does not come") {
  faults(FaultKind::warp_disagreement,
         {"the other lanes of its warp at shuffle: 31 of 32 are there"},
         with_threads(32, [](Shared&) {
           if (isa::thread_index() != 9) {
             isa::shuffle(1, 0);
           }
         }));
}

TEST_CASE("a shuffle from a lane that does not exist") {
  faults(FaultKind::out_of_bounds, {"shuffle from lane 32"},
         with_threads(32, [](Shared&) { isa::shuffle(1, 32); }));
}

TEST_CASE("exactly one lane is elected, the same one each time") {
  for (const unsigned threads : {32u, 160u}) {
    clean(with_threads(threads,
                       [](Shared&) {
                         const bool elected = isa::elect_one();
                         uint32_t sum = 0;
                         for (uint32_t lane = 0; lane < 32; ++lane) {
                           sum += isa::shuffle(elected ? 1 : 0, lane);
                         }
                         CHECK(sum == 1);
                         CHECK(isa::elect_one() == elected);
                       }),
          {.seeds = 3});
  }
}

TEST_CASE("stmatrix to rows that are not there") {
  faults(FaultKind::out_of_bounds, {"stmatrix"}, with_threads(32, [](Shared& shared) {
           isa::stmatrix<1>(shared.data[57 + isa::lane_index() % 8], {0});
         }));
  faults(FaultKind::out_of_bounds, {"not on 16 bytes"}, with_threads(32, [](Shared& shared) {
           isa::stmatrix<1>(&shared.data[isa::lane_index() % 8][1], {0});
         }));
}

TEST_CASE("registers: handed over") {
  // 4 warps give 128 each, 8 warps take 64 each: 12 x 168 in all.
  clean(with_threads(
      384,
      [](Shared&) {
        if (isa::thread_index() < 128) {
          isa::setmaxnreg_decrease<40>();
        } else {
          isa::setmaxnreg_increase<232>();
        }
      },
      168));
}

TEST_CASE("registers: taken and given back in turn") {
  clean(with_threads(
      256,
      [](Shared&) {
        if (isa::thread_index() < 128) {
          isa::setmaxnreg_decrease<40>();
          isa::syncthreads();
          isa::syncthreads();
          isa::setmaxnreg_increase<128>();
        } else {
          isa::setmaxnreg_increase<216>();
          isa::syncthreads();
          isa::setmaxnreg_decrease<128>();
          isa::syncthreads();
        }
      },
      128));
}

TEST_CASE("registers: more than the CTA has") {
  faults(
      FaultKind::register_pool,
      {"waits for ever for registers: it wants 232 per thread, the CTA's pool has 0 for one warp"},
      with_threads(
          256, [](Shared&) { isa::setmaxnreg_increase<232>(); }, 168));
  faults(FaultKind::register_pool,
         {"taker (CTA 0", "registers: it wants 240 per thread, the CTA's pool has "},
         with_threads(
             256,
             [](Shared&) {
               if (isa::thread_index() < 128) {
                 isa::setmaxnreg_decrease<104>();
               } else {
                 isa::enter_role("taker");
                 isa::setmaxnreg_increase<240>();
               }
             },
             168));
}

TEST_CASE("registers: numbers that do not exist") {
  faults(FaultKind::register_pool, {"setmaxnreg 20: the count is a multiple of 8 in 24..256"},
         with_threads(
             128, [](Shared&) { isa::setmaxnreg_decrease<20>(); }, 168));
  faults(FaultKind::register_pool, {"setmaxnreg 44: the count"},
         with_threads(
             128, [](Shared&) { isa::setmaxnreg_decrease<44>(); }, 168));
  faults(FaultKind::register_pool, {"setmaxnreg 264: the count"},
         with_threads(
             128, [](Shared&) { isa::setmaxnreg_increase<264>(); }, 168));
  faults(FaultKind::register_pool, {"setmaxnreg.inc to 40 from 168"},
         with_threads(
             128, [](Shared&) { isa::setmaxnreg_increase<40>(); }, 168));
  faults(FaultKind::register_pool, {"setmaxnreg.dec to 232 from 168"},
         with_threads(
             128, [](Shared&) { isa::setmaxnreg_decrease<232>(); }, 168));
  faults(FaultKind::register_pool, {"launch registers are not known", "LaunchConfig::registers"},
         with_threads(
             128, [](Shared&) { isa::setmaxnreg_decrease<40>(); }, 0));
}

}  // namespace
}  // namespace warpline::tests
