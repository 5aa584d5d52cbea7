// Running a check many ways: on the simulator under every policy with many seeds, on the GPU again
// and again, there (in checked builds) with random delays before one role's waits.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/catch.h"
#include "warpline/launch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

#if !WARPLINE_ON_GPU

inline constexpr simulator::Policy every_policy[] = {
    simulator::Policy::fair, simulator::Policy::random, simulator::Policy::adversarial};

/// check(options) for each of `policies` and `seeds` seeds. A simulation that takes this many steps
/// hangs.
template <class Policies, class Check>
void with_schedules(const Policies& policies, int seeds, Check check) {
  for (const simulator::Policy policy : policies) {
    for (int seed = 1; seed <= seeds; ++seed) {
      INFO("policy " << simulator::to_string(policy) << ", seed " << seed);
      check(simulator::Options{
          .seed = static_cast<std::uint64_t>(seed), .policy = policy, .max_steps = 100'000'000});
    }
  }
}

/// check(stream) for every policy and `seeds` seeds.
template <class Check>
void on_every_schedule(int seeds, Check check) {
  with_schedules(every_policy, seeds,
                 [&](const simulator::Options& options) { check(Stream{.options = options}); });
}

#else

inline constexpr int gpu_repeats = 100;

/// check(stream) again and again, whatever `seeds` says: the GPU draws its own schedules. Every
/// other run of a checked build delays one of the roles that the tests use.
template <class Check>
void on_every_schedule(int /*seeds*/, Check check) {
  for (int run = 0; run < gpu_repeats; ++run) {
    INFO("run " << run);
    if (isa::CheckMailbox* mailbox = isa::host_check_mailbox()) {
      const std::string role = run % 4 < 2 ? "producer" : "consumer";
      role.copy(mailbox->delayed_role, role.size());
      mailbox->delayed_role[role.size()] = 0;
      mailbox->delay_nanoseconds = run % 2 == 0 ? 0 : 20'000;
      mailbox->delay_seed = static_cast<std::uint32_t>(run);
    }
    check(Stream{});
  }
}

#endif

}  // namespace warpline::tests::inline WARPLINE_TARGET
