// Threads and CTAs that leave, and what they must not leave behind.
#include <map>
#include <string>

#include "simulator/machine.h"

namespace warpline::simulator {

void Machine::finish_thread(Thread& thread) {
  thread.state = Thread::State::finished;
  ++progress;
  thread.cta->learned.join(thread.knowledge.all);
  leave_ready(*thread.warp);
  Cta& cta = *thread.cta;
  if (options.recording != nullptr && thread.lane == 0) {
    options.recording->warp_ended(cta.linear, thread.warp->index);
  }
  --cta.cluster->running;
  touch(ObjectType::cluster_barrier, cta.cluster->serial, 0, Touch::Kind::arrive,
        cta.cluster->barrier_phase);
  complete_cluster_barrier(*cta.cluster);
  if (--cta.running != 0) {
    return;
  }
  touch(ObjectType::cta_lifetime, cta.linear, 0, Touch::Kind::wait, 0);
  current = &thread;
  check_agents_at_exit(cta);
  check_barriers_at_exit(cta);
  if (options.recording != nullptr) {
    options.recording->cta_ended(cta.linear, now());
  }
  current = nullptr;
}

/// Some thread of the CTA must have learned that a copy or multiply on its shared memory was over:
/// that it happened to be over, on this schedule, is not enough.
void Machine::check_agents_at_exit(const Cta& cta) {
  for (const AgentAccess& access : cta.agent_accesses) {
    if (access.completion->known_to(cta.learned, false)) {
      continue;
    }
    const bool from_peer = access.issuer_cta != cta.linear;
    const std::string what =
        access.kind == AgentAccess::Kind::load    ? "a copy into its shared memory"
        : access.kind == AgentAccess::Kind::store ? "a copy's read of its shared memory"
                                                  : "a multiply on its shared memory";
    const char* const what_to_do = access.kind == AgentAccess::Kind::load
                                       ? "wait for the barrier that counts its bytes before leaving"
                                   : access.kind == AgentAccess::Kind::store
                                       ? "wait_until_read() before leaving"
                                       : "wait for the multiply before leaving";
    fault(from_peer ? rules::access_after_exit : rules::copy_at_exit,
          "CTA " + std::to_string(cta.linear) + " left (its last thread: " +
              culprit_of(*current).text() + "), and none of its threads had waited for " + what,
          {.who = culprit_of(sites[access.site]),
           .stage =
               access.kind == AgentAccess::Kind::load ? stage_of_barrier(cta, access.barrier) : -1,
           .cure = what_to_do});
  }
  for (const auto& warpgroup : cta.warpgroups) {
    const std::uint64_t complete = warpgroup->queued - warpgroup->done;
    if (warpgroup->multiplies.size() > complete) {
      const Multiply& multiply = warpgroup->multiplies[complete];
      fault(rules::copy_at_exit,
            "CTA " + std::to_string(cta.linear) + " left, and only " +
                std::to_string(multiply.arrived) + " of 128 threads had issued a multiply",
            {.who = culprit_of(sites[multiply.site]),
             .cure = "all four warps take the same path to wgmma, and wait for it"});
    }
  }
}

/// A CTA that leaves has used up all its signals: nobody arrived in vain, nothing is half done.
void Machine::check_barriers_at_exit(Cta& cta) {
  // By address: the same one is reported on every machine.
  const std::map<std::uint32_t, const MbarrierState*> barriers = [&] {
    std::map<std::uint32_t, const MbarrierState*> sorted;
    for (const auto& [address, state] : cta.mbarriers) {
      sorted.emplace(address, &state);
    }
    return sorted;
  }();
  for (const auto& [address, barrier] : barriers) {
    for (const RemoteArrival& arrival : barrier->remote_arrivals) {
      if (cta.learned[arrival.actor] < arrival.count) {
        fault(rules::access_after_exit,
              "an arrival on " + describe_barrier(cta, address) + " of CTA " +
                  std::to_string(cta.linear) + ", which left without waiting for it",
              {.who = culprit_of(sites[arrival.site]),
               .stage = stage_of_barrier(cta, address),
               .cure = "who is arrived at leaves last: a producer's end drains"});
      }
    }
  }
  for (const auto& [address, barrier] : barriers) {
    const MbarrierState& state = *barrier;
    const std::string name = describe_barrier(cta, address);
    const Culprit last = culprit_of(
        sites[state.last_arrival_site != 0 ? state.last_arrival_site : state.announcement_site]);
    if (state.pending != state.expected || state.transactions != 0) {
      fault(rules::half_phase_at_exit,
            "the CTA left " + name + " in the middle of phase " + std::to_string(state.phase) +
                ": " + describe_arrivals(state),
            {.who = last,
             .stage = stage_of_barrier(cta, address),
             .cure = "who arrives or loads last arrives in vain: both sides take the same number "
                     "of turns"});
    }
    if (state.observed < state.phase) {
      fault(rules::undrained_signal,
            "the CTA left although nobody had waited for the last phase of " + name + " (" +
                std::to_string(state.phase) +
                " have completed): whoever it was meant for may have left too early, or takes one "
                "turn too few",
            {.who = last,
             .stage = stage_of_barrier(cta, address),
             .cure = "a role that fills drains before it leaves (its RingEnd does)"});
    }
  }
}

}  // namespace warpline::simulator
