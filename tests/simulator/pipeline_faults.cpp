// The hand-written pipeline with one thing wrong at a time: each must be found, and reported by its
// role, barrier, stage and numbers.
#include "tests/simulator/raw_pipeline.h"

namespace warpline::tests {
namespace {

void finds(Mutation mutation, std::initializer_list<FaultKind> kinds,
           std::initializer_list<const char*> words, const Schedules& schedules = {}) {
  RawPipeline pipeline(8, mutation);
  faults(
      kinds, words, [&](const simulator::Options& options) { pipeline.run(options); }, schedules);
}

TEST_CASE("the hand-written pipeline is clean and right") {
  for (const int k_tiles : {1, 2, 3, 4, 5, 9}) {
    RawPipeline pipeline(k_tiles);
    clean([&](const simulator::Options& options) { pipeline.run(options); });
    for (int row = 0; row < RawPipeline::rows; ++row) {
      for (int column = 0; column < RawPipeline::columns; ++column) {
        REQUIRE(pipeline.out()[static_cast<std::size_t>(row * RawPipeline::columns + column)] ==
                pipeline.expected(row, column));
      }
    }
  }
}

TEST_CASE("a producer that starts at the wrong parity deadlocks") {
  finds(
      Mutation::producer_starts_at_parity_0, {FaultKind::deadlock},
      {"producer (CTA 0) waits for empty[0], parity 0: it has completed 0 phases, and of the next "
       "there are 0 of 128 arrivals [1 thread",
       "consumer (CTA 0) waits for full[0], parity 0: it has completed 0 phases, and of the next "
       "there are 0 of 1 arrivals [128 threads",
       "31 threads have left", "replay: seed"});
}

TEST_CASE("a consumer that starts at the wrong parity reads too early") {
  finds(Mutation::consumer_starts_at_parity_1,
        {FaultKind::uninitialised_read, FaultKind::copy_race},
        {"consumer (CTA 0", "wgmma reads shared memory"});
}

TEST_CASE("a barrier that expects one arrival too many deadlocks") {
  finds(Mutation::one_arrival_too_many_expected, {FaultKind::deadlock},
        {"producer (CTA 0) waits for empty[0], parity 0:", "there are 128 of 129 arrivals"});
}

TEST_CASE("a thread that does not release deadlocks") {
  finds(Mutation::one_thread_does_not_release, {FaultKind::deadlock},
        {"producer (CTA 0) waits for empty[0], parity 0:", "there are 127 of 128 arrivals"});
}

TEST_CASE("sixteen bytes too many are announced") {
  finds(Mutation::sixteen_bytes_too_many, {FaultKind::transaction_mismatch},
        {"consumer (CTA 0, warp 0", "full[0]: 2320 bytes were announced, but 2304 were delivered",
         "2048 by producer (CTA 0, warp 4)", "256 by producer"});
}

TEST_CASE("sixteen bytes too few are announced") {
  finds(Mutation::sixteen_bytes_too_few, {FaultKind::transaction_mismatch},
        {"full[", "2288 bytes were announced, but 2304 were delivered"});
}

TEST_CASE("a producer that does not wait for empty overwrites a stage, or runs into its phase") {
  finds(Mutation::no_wait_for_empty,
        {FaultKind::mbarrier_misuse, FaultKind::copy_race, FaultKind::wgmma_race},
        {"producer (CTA 0, warp 4, lane 0)"});
}

TEST_CASE("a consumer that does not wait for full reads too early") {
  finds(Mutation::no_wait_for_full, {FaultKind::uninitialised_read, FaultKind::copy_race},
        {"consumer (CTA 0", "wgmma reads shared memory"});
}

TEST_CASE("a stage released before the wait for its multiply") {
  finds(Mutation::release_before_wgmma_wait, {FaultKind::wgmma_race},
        {"producer", "after a multiply's read of the same bytes by consumer (CTA 0",
         "handed on before the wait that covers the multiply"});
}

TEST_CASE("a stage released after a wait that leaves its multiply running") {
  finds(Mutation::wgmma_wait_leaves_one, {FaultKind::wgmma_race},
        {"producer", "after a multiply's read of the same bytes by consumer (CTA 0",
         "handed on before the wait that covers the multiply"});
}

TEST_CASE("a wait for a multiply that was never committed waits for nothing") {
  finds(Mutation::no_commit, {FaultKind::wgmma_race}, {"producer"});
}

TEST_CASE("a multiply without wgmma_fence") {
  finds(Mutation::no_wgmma_fence, {FaultKind::wgmma_misuse}, {"consumer", "without wgmma_fence"});
}

TEST_CASE("barriers initialised without fence_mbarrier_init") {
  finds(Mutation::no_barrier_fence, {FaultKind::mbarrier_fence_missing},
        {"producer", "full[0]", "fence_mbarrier_init"});
}

TEST_CASE("barriers used before their initialiser synchronised") {
  finds(Mutation::no_synchronisation_after_init, {FaultKind::mbarrier_misuse}, {"initialise"});
}

}  // namespace
}  // namespace warpline::tests
