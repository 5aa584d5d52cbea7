// The mutation tool on small kernels of which it is known what each mutant does.
#include "simulator/mutation.h"

#include "tests/simulator/global_handover.h"
#include "tests/simulator/mutation_kernels.h"

namespace warpline::tests {
namespace {

using simulator::Change;
using simulator::Instruction;
using simulator::MutantResult;
using simulator::mutate;
using simulator::MutationReport;
using simulator::MutationSite;
using simulator::Occurrence;
using simulator::Outcome;

/// The one mutant that fits; `place` tells apart sites of one instruction, in their order.
const MutantResult& mutant(const MutationReport& report, Instruction instruction, Change change,
                           Occurrence occurrence = Occurrence::every, int place = 0) {
  for (const MutantResult& result : report.mutants) {
    if (report.sites[result.mutant.site].instruction == instruction &&
        result.mutant.change == change && result.mutant.occurrence == occurrence && place-- == 0) {
      return result;
    }
  }
  FAIL("no such mutant of " << to_string(instruction) << ": " << to_string(change));
  return report.mutants.front();
}

void is_reported(const MutantResult& result, FaultKind kind) {
  INFO(result.report.text());
  REQUIRE(result.outcome == Outcome::reported);
  CHECK(result.report.kind == kind);
  CHECK(result.reason.empty());
}

void is_equivalent(const MutantResult& result, const char* why) {
  REQUIRE(result.outcome == Outcome::equivalent);
  CHECK_THAT(result.reason, Catch::Matchers::ContainsSubstring(why));
}

void everything_is_found(const MutationReport& report) {
  INFO(report.text());
  CHECK(report.count(Outcome::survived) == 0);
  CHECK(report.count(Outcome::wrong_result) == 0);
  CHECK(report.score() == 1);
  CHECK(report.count(Outcome::reported) + report.count(Outcome::equivalent) ==
        report.mutants.size());
  for (const MutantResult& result : report.mutants) {
    INFO(report.sites[result.mutant.site].text() << ", " << to_string(result.mutant.change));
    CHECK((result.outcome == Outcome::equivalent || result.reason.empty()));
  }
}

TEST_CASE("mutants of a hand-over through an mbarrier") {
  const MutationReport report = mutate(handed_over);
  everything_is_found(report);
  CHECK(report.sites.size() == 4);
  const auto of = [&](Instruction instruction, Change change) -> const MutantResult& {
    return mutant(report, instruction, change);
  };
  is_reported(of(Instruction::mbarrier_init, Change::remove), FaultKind::mbarrier_misuse);
  is_reported(of(Instruction::mbarrier_init, Change::duplicate), FaultKind::mbarrier_misuse);
  is_reported(of(Instruction::mbarrier_init, Change::delay), FaultKind::mbarrier_misuse);
  is_reported(of(Instruction::mbarrier_init, Change::one_arrival_more), FaultKind::deadlock);
  CHECK(of(Instruction::mbarrier_init, Change::one_arrival_fewer).outcome == Outcome::reported);
  is_reported(of(Instruction::syncthreads, Change::remove), FaultKind::mbarrier_misuse);
  is_equivalent(of(Instruction::syncthreads, Change::duplicate), "nothing in between");
  is_reported(of(Instruction::mbarrier_arrive, Change::remove), FaultKind::deadlock);
  CHECK(of(Instruction::mbarrier_arrive, Change::duplicate).outcome == Outcome::reported);
  CHECK(of(Instruction::mbarrier_arrive, Change::one_arrival_more).outcome == Outcome::reported);
  is_equivalent(of(Instruction::mbarrier_arrive, Change::delay), "nothing follows it");
  is_equivalent(of(Instruction::mbarrier_wait, Change::duplicate), "passes again");
  CHECK(of(Instruction::mbarrier_wait, Change::remove).outcome == Outcome::reported);
  CHECK(of(Instruction::mbarrier_wait, Change::delay).outcome == Outcome::reported);
  CHECK(of(Instruction::mbarrier_wait, Change::other_parity).outcome == Outcome::reported);
}

TEST_CASE("mutants of loads whose bytes are announced apart") {
  const MutationReport report = mutate(loaded_in_rounds);
  everything_is_found(report);
  const auto of = [&](Instruction instruction, Change change,
                      Occurrence occurrence = Occurrence::every) -> const MutantResult& {
    return mutant(report, instruction, change, occurrence);
  };
  is_reported(of(Instruction::fence_mbarrier_init, Change::remove),
              FaultKind::mbarrier_fence_missing);
  is_equivalent(of(Instruction::fence_mbarrier_init, Change::delay),
                "the thread that fences issues them itself");
  for (const Change change : {Change::remove, Change::duplicate, Change::sixteen_bytes_more,
                              Change::sixteen_bytes_fewer}) {
    CHECK(of(Instruction::mbarrier_expect_tx, change).outcome == Outcome::reported);
  }
  for (const Occurrence once : {Occurrence::first, Occurrence::last}) {
    CHECK(of(Instruction::mbarrier_expect_tx, Change::remove, once).outcome == Outcome::reported);
    CHECK(of(Instruction::mbarrier_arrive, Change::remove, once).outcome == Outcome::reported);
    CHECK(of(Instruction::mbarrier_try_wait, Change::remove, once).outcome == Outcome::reported);
  }
  is_reported(of(Instruction::fence_proxy_async, Change::remove), FaultKind::proxy_fence_missing);
  is_reported(of(Instruction::fence_proxy_async, Change::other_space),
              FaultKind::proxy_fence_missing);
}

TEST_CASE("mutants of a store that is read back") {
  const MutationReport report = mutate(stored_and_read);
  everything_is_found(report);
  const auto of = [&](Instruction instruction, Change change) -> const MutantResult& {
    return mutant(report, instruction, change);
  };
  CHECK(of(Instruction::bulk_commit_group, Change::remove).outcome == Outcome::reported);
  CHECK(of(Instruction::bulk_commit_group, Change::delay).outcome == Outcome::reported);
  is_equivalent(of(Instruction::bulk_commit_group, Change::duplicate), "wait for more");
  for (const Change change :
       {Change::remove, Change::delay, Change::one_group_fewer, Change::read_only}) {
    is_reported(of(Instruction::bulk_wait_group, change), FaultKind::store_race);
  }
  is_equivalent(of(Instruction::bulk_wait_group, Change::duplicate), "over the second time");
  is_reported(of(Instruction::named_barrier_sync, Change::one_warp_more), FaultKind::deadlock);
}

TEST_CASE("mutants of clusters that hand over through global memory") {
  const MutationReport report = mutate([](const Options& options) {
    const std::vector<int32_t> input(3 * 64, 1);
    std::vector<int32_t> sum(64);
    uint32_t turn = 0;
    launch<OrderedSum<HandOver::right>>(Stream{.options = options}, {3, 1, 1},
                                        {input.data(), sum.data(), &turn});
    return sum == std::vector<int32_t>(64, 3);
  });
  everything_is_found(report);
  for (const Change change : {Change::no_acquire, Change::no_release}) {
    is_reported(mutant(report, Instruction::atomic_access, change), FaultKind::data_race);
  }
  is_reported(mutant(report, Instruction::syncthreads, Change::remove), FaultKind::data_race);
}

TEST_CASE("a site is an instruction at a line, for a role and a kind of barrier") {
  const MutationReport report = mutate(handed_over);
  const MutationSite& arrival =
      report.sites[mutant(report, Instruction::mbarrier_arrive, Change::remove).mutant.site];
  CHECK_THAT(arrival.file, Catch::Matchers::EndsWith("mutation_kernels.h"));
  CHECK(arrival.role == "writer");
  CHECK(arrival.barrier == "ready");
  CHECK(arrival.text() == "mutation_kernels.h:" + std::to_string(arrival.line) +
                              ": mbarrier_arrive on ready (writer)");
}

TEST_CASE("two fences on neighbouring lines: each is found to be idle or needed") {
  const auto run = [](const Options& options) {
    alignas(16) static thread_local int target[64];
    return gives(
        options, [](int i) { return i; },
        [](MutationMemory& shared, int* out) {
          const auto thread = static_cast<int>(isa::thread_index());
          isa::store_shared(shared.data[thread], thread);
          isa::fence_proxy_async_shared();
          isa::fence_proxy_async_shared();
          isa::syncthreads();
          if (thread == 0) {
            isa::bulk_store(target, shared.data, 256);
            isa::bulk_commit_group();
            isa::bulk_wait_group<0>();
          }
          out[thread] = thread;
        });
  };
  const MutationReport report = mutate(run);
  const auto of = [&](int place) -> const MutantResult& {
    return mutant(report, Instruction::fence_proxy_async, Change::remove, Occurrence::every, place);
  };
  // Either would do. The second one finds nothing left to order; of the first no rule knows.
  CHECK(of(0).outcome == Outcome::survived);
  is_equivalent(of(1), "it has nothing to order");
  CHECK(report.score() < 1);
}

TEST_CASE("a fence of initialisations is covered by a later one of the same thread") {
  struct Memory {
    alignas(128) int data[64];
    isa::Mbarrier first;
    isa::Mbarrier second;
  };
  const auto run = [](const Options& options) {
    alignas(16) static const int source[64] = {1};
    int sum = 0;
    simulate_with<Memory>(one_cta<Memory>(32), options, [&](Memory& shared) {
      if (isa::thread_index() == 0) {
        isa::mbarrier_init(shared.first, 1);
        isa::fence_mbarrier_init();
        isa::mbarrier_init(shared.second, 1);
        isa::fence_mbarrier_init();
      }
      isa::syncthreads();
      if (isa::thread_index() == 0) {
        isa::mbarrier_arrive_expect_tx(shared.first, 128);
        isa::bulk_load(shared.data, source, 128, shared.first);
        isa::mbarrier_arrive_expect_tx(shared.second, 128);
        isa::bulk_load(shared.data + 32, source + 32, 128, shared.second);
        isa::wait(shared.first, 0, {"", "first", 0});
        isa::wait(shared.second, 0, {"", "second", 0});
        sum = isa::load_shared(shared.data[0]) + isa::load_shared(shared.data[63]);
      }
      isa::syncthreads();
    });
    return sum == 1;
  };
  const MutationReport report = mutate(run);
  const char* const again = "the same thread fences again";
  const auto of = [&](Change change, int place) -> const MutantResult& {
    return mutant(report, Instruction::fence_mbarrier_init, change, Occurrence::every, place);
  };
  is_equivalent(of(Change::remove, 0), again);
  is_equivalent(mutant(report, Instruction::mbarrier_init, Change::delay), again);
  is_reported(of(Change::remove, 1), FaultKind::mbarrier_fence_missing);
}

TEST_CASE("a fence of initialisations that only threads of the CTA use is not needed") {
  const MutationReport report = mutate([](const Options& options) {
    return gives(
        options, [](int) { return 3; },
        [](MutationMemory& shared, int* out) {
          const auto thread = static_cast<int>(isa::thread_index());
          if (thread == 0) {
            isa::mbarrier_init(shared.ready, 1);
            isa::fence_mbarrier_init();
          }
          isa::syncthreads();
          if (thread == 0) {
            isa::store_shared(shared.data[0], 3);
            isa::mbarrier_arrive(shared.ready);
          }
          isa::wait(shared.ready, 0, {"", "ready", 0});
          out[thread] = isa::load_shared(shared.data[0]);
        });
  });
  everything_is_found(report);
  is_equivalent(mutant(report, Instruction::fence_mbarrier_init, Change::remove),
                "no copy counts on any barrier");
}

TEST_CASE("a proxy fence is as good a little later, and for nobody without engines") {
  const auto run = [](bool stores) {
    return [stores](const Options& options) {
      alignas(16) static const int source[32] = {};
      alignas(16) static thread_local int target[64];
      return gives(
          options, [](int i) { return i < 32 ? 0 : i; },
          [stores](MutationMemory& shared, int* out) {
            const auto thread = static_cast<int>(isa::thread_index());
            if (thread == 0) {
              isa::mbarrier_init(shared.ready, 1);
              isa::fence_mbarrier_init();
              isa::mbarrier_expect_tx(shared.ready, 128);
              isa::bulk_load(shared.data, source, 128, shared.ready);
              for (int i = 32; i < 64; ++i) {
                isa::store_shared(shared.data[i], i);
              }
              isa::fence_proxy_async_shared();
              isa::mbarrier_expect_tx(shared.ready, 0);
              isa::mbarrier_arrive(shared.ready);
              isa::wait(shared.ready, 0, {"", "ready", 0});
              if (stores) {
                isa::bulk_store(target, shared.data, 256);
                isa::bulk_commit_group();
                isa::bulk_wait_group<0>();
              }
            }
            isa::syncthreads();
            out[thread] = isa::load_shared(shared.data[thread]);
          });
    };
  };
  const auto of = [](const MutationReport& report, Change change) -> const MutantResult& {
    return mutant(report, Instruction::fence_proxy_async, change);
  };
  const MutationReport needed = mutate(run(true));
  is_equivalent(of(needed, Change::delay), "tells nobody of the accesses that it fences");
  is_reported(of(needed, Change::remove), FaultKind::proxy_fence_missing);
  is_reported(of(needed, Change::other_space), FaultKind::proxy_fence_missing);
  const MutationReport needless = mutate(run(false));
  is_equivalent(of(needless, Change::remove), "no copy and no multiply");
  is_equivalent(of(needless, Change::other_space), "no copy and no multiply");
}

TEST_CASE("a meeting that nobody needs survives, and its author may say why") {
  const auto run = [](const Options& options) {
    return gives(
        options, [](int i) { return 2 * i; },
        [](MutationMemory& shared, int* out) {
          const auto thread = static_cast<int>(isa::thread_index());
          isa::store_shared(shared.data[thread], 2 * thread);
          isa::syncthreads();  // each thread reads what it wrote itself
          out[thread] = isa::load_shared(shared.data[thread]);
        });
  };
  const MutationReport report = mutate(run);
  CHECK(mutant(report, Instruction::syncthreads, Change::remove).outcome == Outcome::survived);
  CHECK(mutant(report, Instruction::syncthreads, Change::delay).outcome == Outcome::survived);
  CHECK(report.score() == 0);
  CHECK_THAT(report.text(), Catch::Matchers::ContainsSubstring("SURVIVED") &&
                                Catch::Matchers::ContainsSubstring("2 survived unexplained"));

  const MutationReport explained = mutate(
      run, {.explain = [](const MutationSite& site, const simulator::Mutant&) {
        return site.instruction == Instruction::syncthreads ? std::string("all data is private")
                                                            : std::string();
      }});
  is_equivalent(mutant(explained, Instruction::syncthreads, Change::remove), "all data is private");
  CHECK(explained.score() == 1);
}

TEST_CASE("what goes past the simulator's eyes shows as a wrong result without a report") {
  const MutationReport report = mutate([](const Options& options) {
    return gives(
        options, [](int i) { return i < 32 ? 1 : 0; },
        [](MutationMemory& shared, int* out) {
          volatile int* raw = shared.data;
          if (isa::thread_index() >= 32) {
            raw[isa::thread_index() - 32] = 1;
          }
          isa::syncthreads();
          if (isa::thread_index() < 32) {
            out[isa::thread_index()] = raw[isa::thread_index()];
          }
        });
  });
  CHECK(mutant(report, Instruction::syncthreads, Change::remove).outcome == Outcome::wrong_result);
  CHECK(report.score() == 0);
  CHECK_THAT(report.text(), Catch::Matchers::ContainsSubstring("WRONG RESULT"));
}

TEST_CASE("a kernel must be clean and right before it is mutated") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THROWS_WITH(mutate([](const Options& options) { return handed_over(options) && false; }),
                    ContainsSubstring("nothing was mutated") &&
                        ContainsSubstring("its result is wrong [replay: seed 1, policy fair]"));
  CHECK_THROWS_WITH(mutate([](const Options& options) {
                      return gives(
                          options, [](int) { return 0; },
                          [](MutationMemory& shared, int*) { isa::load_shared(shared.data[0]); });
                    }),
                    ContainsSubstring("nobody has written"));
  CHECK_THROWS_WITH(mutate([](const Options&) { return true; }),
                    ContainsSubstring("executed nothing that can be mutated"));
  CHECK_THROWS_AS(mutate(handed_over, {.schedules = 0}), std::invalid_argument);
}

TEST_CASE("results are handed out as they come, and replay") {
  std::size_t seen = 0;
  const MutationReport report =
      mutate(handed_over, {.progress = [&](const MutantResult& result, const MutationReport& all) {
               ++seen;
               CHECK(&result == &all.mutants.back());
             }});
  CHECK(seen == report.mutants.size());
  const MutantResult& lost = mutant(report, Instruction::mbarrier_arrive, Change::remove);
  CHECK(lost.schedules == 1);
  CHECK(lost.options.policy == simulator::Policy::fair);
  CHECK(lost.report.seed == lost.options.seed);
}

}  // namespace
}  // namespace warpline::tests
