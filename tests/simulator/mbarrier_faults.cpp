// mbarrier used against the rules of the PTX ISA ("mbarrier"), one instruction at a time.
#include "tests/support/faults.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/wait.h"

namespace warpline::tests {
namespace {

struct Shared {
  alignas(16) isa::Mbarrier barrier;
  isa::Mbarrier other;
  alignas(16) int data[64];
};

/// body(shared), in the first of 64 threads.
template <class Body>
auto first_thread(Body body) {
  return [body](const simulator::Options& options) {
    simulate_with<Shared>(one_cta<Shared>(64), options, [&](Shared& shared) {
      if (isa::thread_index() == 0) {
        body(shared);
      }
    });
  };
}

TEST_CASE("a barrier that was never initialised") {
  const char* const never = "which was never initialised (or was invalidated)";
  faults(FaultKind::mbarrier_misuse, {"mbarrier_arrive on", never},
         first_thread([](Shared& shared) { isa::mbarrier_arrive(shared.barrier); }));
  faults(FaultKind::mbarrier_misuse, {"mbarrier wait on", never},
         first_thread([](Shared& shared) { isa::wait(shared.barrier, 0, {}); }));
  faults(FaultKind::mbarrier_misuse, {"mbarrier_test_wait on", never},
         first_thread([](Shared& shared) { isa::mbarrier_test_wait(shared.barrier, 0); }));
  faults(FaultKind::mbarrier_misuse, {"mbarrier_try_wait on", never},
         first_thread([](Shared& shared) { isa::mbarrier_try_wait(shared.barrier, 0); }));
  faults(FaultKind::mbarrier_misuse, {"mbarrier_expect_tx on", never},
         first_thread([](Shared& shared) { isa::mbarrier_expect_tx(shared.barrier, 16); }));
  faults(FaultKind::mbarrier_misuse, {"mbarrier_arrive on", never},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 2);
           isa::mbarrier_invalidate(shared.barrier);
           isa::mbarrier_arrive(shared.barrier);
         }));
}

TEST_CASE("a barrier initialised while in use, and again after its end") {
  faults(FaultKind::mbarrier_misuse,
         {"mbarrier_init on", "in use", "mbarrier_invalidate it before"},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 1);
           isa::mbarrier_init(shared.barrier, 1);
         }));
  clean(first_thread([](Shared& shared) {
    for (int i = 0; i < 3; ++i) {
      isa::mbarrier_init(shared.barrier, 1);
      isa::mbarrier_arrive(shared.barrier);
      isa::wait(shared.barrier, 0, {});
      isa::mbarrier_invalidate(shared.barrier);
    }
  }));
}

TEST_CASE("arrival counts out of range") {
  for (const uint32_t arrivals : {0u, 1u << 20}) {
    faults(FaultKind::mbarrier_misuse, {"arrivals; a phase takes 1 to 2^20 - 1"},
           first_thread([=](Shared& shared) { isa::mbarrier_init(shared.barrier, arrivals); }));
  }
  clean(first_thread([](Shared& shared) { isa::mbarrier_init(shared.barrier, (1u << 20) - 1); }));
}

TEST_CASE("more arrivals than a phase takes") {
  faults(FaultKind::mbarrier_misuse, {"ready[7]", "2 are expected, 3 came"},
         first_thread([](Shared& shared) {
           isa::name_mbarrier(shared.barrier, "ready", 7);
           isa::mbarrier_init(shared.barrier, 2);
           isa::mbarrier_arrive(shared.barrier, 3);
         }));
  faults(FaultKind::mbarrier_misuse, {"2 are expected, 3 came"}, first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 2);
           isa::mbarrier_arrive(shared.barrier, 1);
           isa::mbarrier_arrive(shared.barrier, 2);
         }));
  clean(first_thread([](Shared& shared) {
    isa::mbarrier_init(shared.barrier, 2);
    isa::mbarrier_arrive(shared.barrier, 2);
    isa::wait(shared.barrier, 0, {});
    isa::mbarrier_arrive(shared.barrier, 1);
    isa::mbarrier_arrive(shared.barrier, 1);
    isa::wait(shared.barrier, 1, {});
  }));
}

TEST_CASE("a wait that comes two phases too late") {
  faults(FaultKind::mbarrier_misuse, {"was lapped: 2 of its phases"},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 1);
           isa::mbarrier_arrive(shared.barrier);
           isa::mbarrier_arrive(shared.barrier);
           isa::wait(shared.barrier, 1, {});
         }));
}

TEST_CASE("a barrier left in the middle of a phase, or for nobody") {
  faults(FaultKind::leak, {"in the middle of phase 0: 1 of 2 arrivals (threads: warp 0)"},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 2);
           isa::mbarrier_arrive(shared.barrier);
         }));
  faults(FaultKind::leak, {"nobody had waited for the last phase"},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 1);
           isa::mbarrier_arrive(shared.barrier);
         }));
}

TEST_CASE("a wait for a parity that does not exist") {
  faults(FaultKind::mbarrier_misuse, {"parity is 0 or 1, not 2"}, first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 1);
           isa::wait(shared.barrier, 2, {});
         }));
}

TEST_CASE("a barrier outside shared memory, or misaligned") {
  faults(FaultKind::out_of_bounds, {"mbarrier_init", "outside"}, first_thread([](Shared&) {
           static isa::Mbarrier elsewhere;
           isa::mbarrier_init(elsewhere, 1);
         }));
  const auto init_at = [](std::size_t offset) {
    return first_thread([offset](Shared& shared) {
      auto* bytes = reinterpret_cast<unsigned char*>(&shared);
      isa::mbarrier_init(*reinterpret_cast<isa::Mbarrier*>(bytes + offset), 1);
    });
  };
  faults(FaultKind::out_of_bounds, {"mbarrier_init", "outside"}, init_at(sizeof(Shared)));
  faults(FaultKind::mbarrier_misuse, {"not aligned to 8 bytes"}, init_at(4));
}

TEST_CASE("bytes announced beyond what a barrier counts") {
  faults(FaultKind::mbarrier_misuse, {"1048576 bytes, the most is 2^20 - 1"},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 1);
           isa::mbarrier_expect_tx(shared.barrier, 1 << 20);
         }));
}

TEST_CASE("an ordinary write over a barrier") {
  faults(FaultKind::mbarrier_misuse, {"an ordinary write overwrites an mbarrier in use"},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 1);
           isa::store_shared(shared.barrier.word, uint64_t{0});
         }));
  clean(first_thread([](Shared& shared) {
    isa::mbarrier_init(shared.barrier, 1);
    isa::mbarrier_invalidate(shared.barrier);
    isa::store_shared(shared.barrier.word, uint64_t{0});
  }));
}

TEST_CASE("a copy over a barrier") {
  alignas(16) static const int source[4] = {};
  faults(FaultKind::mbarrier_misuse, {"a bulk load overwrites an mbarrier in use"},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.other, 1);
           isa::fence_mbarrier_init();
           isa::bulk_load(&shared.barrier, source, 16, shared.other);
         }));
}

TEST_CASE("a barrier that ends while a thread waits on it, or while bytes are on their way") {
  faults(FaultKind::mbarrier_misuse, {"mbarrier_invalidate on", "while threads wait on it"},
         [](const simulator::Options& options) {
           simulate_with<Shared>(one_cta<Shared>(64), options, [](Shared& shared) {
             if (isa::thread_index() == 0) {
               isa::mbarrier_init(shared.barrier, 1);
               isa::mbarrier_init(shared.other, 1);
             }
             isa::syncthreads();
             if (isa::thread_index() == 0) {
               isa::mbarrier_arrive(shared.other);
               isa::wait(shared.barrier, 0, {});
             } else if (isa::thread_index() == 40) {
               isa::wait(shared.other, 0, {});
               // Only once the first thread has had every chance to start waiting.
               for (int i = 0; i < 1000; ++i) {
                 simulator::yield();
               }
               isa::mbarrier_invalidate(shared.barrier);
             }
           });
         });
  alignas(16) static const int source[4] = {};
  faults(FaultKind::mbarrier_misuse, {"mbarrier_invalidate on", "which counts its bytes there"},
         first_thread([](Shared& shared) {
           isa::mbarrier_init(shared.barrier, 1);
           isa::mbarrier_init(shared.other, 1);
           isa::fence_mbarrier_init();
           isa::bulk_load(shared.data, source, 16, shared.barrier);
           isa::mbarrier_invalidate(shared.barrier);
           isa::wait(shared.other, 0, {});
         }));
}

}  // namespace
}  // namespace warpline::tests
