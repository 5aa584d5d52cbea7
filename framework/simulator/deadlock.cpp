// Why nothing can go on: who waits for what, what has come and what has not.
#include <algorithm>
#include <map>
#include <sstream>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

/// "consumer: warps 0, 1 (twice)", each role once.
std::string list_warps(const std::vector<Warp*>& warps) {
  std::map<std::string, std::map<unsigned, unsigned>> roles;
  for (const Warp* warp : warps) {
    const char* role = "";
    for (const Thread* lane : warp->lanes) {
      if (lane != nullptr && lane->role[0] != 0) {
        role = lane->role;
        break;
      }
    }
    std::string place = role[0] == 0 ? "threads" : role;
    if (warps.front()->cta->cluster->ctas.size() > 1) {
      place += " of CTA " + std::to_string(warp->cta->linear);
    }
    ++roles[place][warp->index];
  }
  std::ostringstream out;
  const char* role_separator = "";
  for (const auto& [role, counts] : roles) {
    out << role_separator << role << ": warp" << (counts.size() == 1 ? " " : "s ");
    role_separator = "; ";
    const char* separator = "";
    for (const auto& [warp, count] : counts) {
      out << separator << warp;
      if (count > 1) {
        out << " (" << count << " times)";
      }
      separator = ", ";
    }
  }
  return out.str();
}

std::string explain_mbarrier(const Cta& cta, std::uint32_t address, unsigned parity) {
  std::ostringstream out;
  out << describe_barrier(cta, address) << ", parity " << parity;
  const auto found = cta.mbarriers.find(address);
  if (found == cta.mbarriers.end()) {
    out << " (no longer a barrier)";
    return out.str();
  }
  const MbarrierState& state = found->second;
  out << ": it has completed " << state.phase << " phase" << (state.phase == 1 ? "" : "s")
      << ", and of the next there are " << describe_arrivals(state);
  // Who came last time and did not come this time is the shortest explanation there is.
  std::vector<Warp*> missing = state.arrived_before;
  for (Warp* warp : state.arrived) {
    const auto place = std::find(missing.begin(), missing.end(), warp);
    if (place != missing.end()) {
      missing.erase(place);
    }
  }
  if (state.pending != 0 && !missing.empty()) {
    out << "; missing, by the phase before: " << list_warps(missing);
  }
  return out.str();
}

std::string explain_wait(const Thread& thread) {
  const Wait& wait = thread.wait;
  const Cta& cta = *thread.cta;
  std::ostringstream out;
  switch (wait.kind) {
    case Wait::Kind::mbarrier:
    case Wait::Kind::try_mbarrier:
      return explain_mbarrier(cta, wait.address, wait.parity);
    case Wait::Kind::warp:
      out << "the other lanes of its warp at " << thread.warp->meeting.operation << ": "
          << thread.warp->meeting.arrived << " of 32 are there";
      break;
    case Wait::Kind::named_barrier:
      out << "named barrier " << wait.id << ": " << cta.named[wait.id].arrived << " of "
          << cta.named[wait.id].threads << " threads have arrived";
      break;
    case Wait::Kind::cluster_barrier:
      out << "the cluster's barrier: " << cta.cluster->barrier_arrived << " of "
          << cta.cluster->running << " threads that have not left have arrived";
      break;
    case Wait::Kind::wgmma: {
      const Warpgroup& group = *cta.warpgroups[thread.warp->index / 4];
      out << "wgmma " << wait.target << " of its warpgroup: " << group.done << " are done";
      if (group.queued < wait.target && !group.multiplies.empty()) {
        out << ", and only " << group.multiplies[group.queued - group.done].arrived
            << " of 128 threads have issued the next";
      }
      break;
    }
    case Wait::Kind::bulk_read:
      out << "its stores to have read shared memory";
      break;
    case Wait::Kind::bulk_write:
      out << "its stores to be complete";
      break;
    case Wait::Kind::registers:
      out << "registers: it wants " << wait.id << " per thread, the CTA's pool has "
          << cta.register_pool << " for one warp";
      break;
    case Wait::Kind::flag:
      out << "a flag in global memory to be at least " << wait.id << ": it is " << *wait.flag
          << " (CTAs that are to set it may not have started: the grid is larger than what fits)";
      break;
    case Wait::Kind::none:
      out << "its turn";
      break;
  }
  return out.str();
}

}  // namespace

std::string describe_arrivals(const MbarrierState& state) {
  std::ostringstream out;
  out << state.expected - state.pending << " of " << state.expected << " arrivals";
  if (!state.arrived.empty()) {
    out << " (" << list_warps(state.arrived) << ")";
  }
  if (state.announced != 0 || state.delivered != 0) {
    out << " and " << state.delivered << " of " << state.announced << " announced bytes";
  }
  return out.str();
}

std::string describe_copies(const MbarrierState& state) {
  if (state.copies.empty()) {
    return "";
  }
  std::ostringstream out;
  constexpr std::size_t shown = 4;
  for (std::size_t i = 0; i < state.copies.size() && i < shown; ++i) {
    out << (i == 0 ? " (" : ", ") << state.copies[i].bytes << " by "
        << culprit_of(machine().sites[state.copies[i].site]).text();
  }
  out << (state.copies.size() > shown ? ", ..." : "") << ")";
  return out.str();
}

namespace {

std::string explain_all(const Machine& machine) {
  // Threads that wait for the same thing in the same role are one line.
  struct Group {
    const Thread* first;
    unsigned threads = 0;
  };
  std::map<std::string, Group> groups;
  std::vector<std::string> order;
  unsigned finished = 0;
  for (const auto& cluster : machine.clusters) {
    for (const auto& cta : cluster->ctas) {
      for (const auto& thread : cta->threads) {
        if (thread->state == Thread::State::finished) {
          ++finished;
          continue;
        }
        const std::string key = std::string(thread->role[0] == 0 ? "thread" : thread->role) +
                                " (CTA " + std::to_string(cta->linear) + ") waits for " +
                                explain_wait(*thread);
        auto [entry, fresh] = groups.try_emplace(key, Group{thread.get()});
        if (fresh) {
          order.push_back(key);
        }
        ++entry->second.threads;
      }
    }
  }
  std::ostringstream out;
  constexpr std::size_t shown = 12;
  for (std::size_t i = 0; i < order.size() && i < shown; ++i) {
    const Group& group = groups.at(order[i]);
    out << (i == 0 ? "  " : "\n  ") << order[i] << " [" << group.threads << " thread"
        << (group.threads == 1 ? "" : "s") << ", first: warp " << group.first->warp->index;
    if (group.first->file[0] != 0) {
      out << ", " << group.first->file << ":" << group.first->line;
    }
    out << "]";
  }
  if (order.size() > shown) {
    out << "\n  and " << order.size() - shown << " more";
  }
  if (finished != 0) {
    out << "\n  " << finished << " threads have left";
  }
  return out.str();
}

/// Calls visit(thread) for each thread that waits, until it returns true.
template <class Visit>
void for_each_waiting(const Machine& machine, Visit visit) {
  for (const auto& cluster : machine.clusters) {
    for (const auto& cta : cluster->ctas) {
      for (const auto& thread : cta->threads) {
        if (thread->state == Thread::State::blocked && visit(*thread)) {
          return;
        }
      }
    }
  }
}

bool waits_for_mbarrier(const Thread& thread) {
  return thread.wait.kind == Wait::Kind::mbarrier || thread.wait.kind == Wait::Kind::try_mbarrier;
}

const MbarrierState* awaited(const Thread& thread) {
  if (!waits_for_mbarrier(thread)) {
    return nullptr;
  }
  const auto found = thread.cta->mbarriers.find(thread.wait.address);
  return found != thread.cta->mbarriers.end() ? &found->second : nullptr;
}

bool at_collective(const Thread& thread) {
  return thread.wait.kind == Wait::Kind::warp || thread.wait.kind == Wait::Kind::named_barrier ||
         thread.wait.kind == Wait::Kind::cluster_barrier;
}

/// The lane of its warp that will never come to where `thread` waits.
const Thread* strayed_lane(const Thread& thread) {
  if (!at_collective(thread)) {
    return nullptr;
  }
  for (const Thread* lane : thread.warp->lanes) {
    if (lane != nullptr && (lane->state == Thread::State::finished ||
                            (at_collective(*lane) && lane->wait.kind != thread.wait.kind))) {
      return lane;
    }
  }
  return nullptr;
}

}  // namespace

/// Nobody can go on. Where one of the stricter rules says why, that is the fault; else it is a
/// deadlock, and all who wait are listed.
void Machine::report_deadlock() {
  note_stuck();
  const std::string all = explain_all(*this);
  const Thread* who = nullptr;
  for_each_waiting(*this, [&](const Thread& thread) {
    if (who == nullptr || (waits_for_mbarrier(thread) && !waits_for_mbarrier(*who))) {
      who = &thread;
    }
    if (thread.wait.kind == Wait::Kind::registers) {
      fault(rules::registers_not_granted, "setmaxnreg waits for ever for " + explain_wait(thread),
            {.who = culprit_of(thread), .situation = all});
    }
    if (const MbarrierState* state = awaited(thread);
        state != nullptr && state->pending == 0 && state->transactions > 0) {
      fault(rules::bytes_not_delivered,
            describe_barrier(*thread.cta, thread.wait.address) + ": " +
                std::to_string(state->announced) + " bytes were announced, but " +
                std::to_string(state->delivered) + " were delivered" + describe_copies(*state) +
                ": the phase can never complete",
            {.who = culprit_of(thread),
             .other = announcer(*state),
             .stage = stage_of_barrier(*thread.cta, thread.wait.address),
             .cure = "announce what is loaded; a load counts its whole box, even where that hangs "
                     "over the tensor's edge",
             .situation = all});
    }
    if (const Warpgroup& group = *thread.cta->warpgroups[thread.warp->index / 4];
        thread.wait.kind == Wait::Kind::wgmma && group.queued < thread.wait.target &&
        !group.multiplies.empty()) {
      const Multiply& multiply = group.multiplies[group.queued - group.done];
      fault(rules::warpgroup_not_converged,
            "only " + std::to_string(multiply.arrived) +
                " of the warpgroup's 128 threads have issued the wgmma that this one waits for",
            {.who = culprit_of(thread),
             .other = culprit_of(machine().sites[multiply.site]),
             .cure = "all four warps take the same path to wgmma",
             .situation = all});
    }
    if (const Thread* lane = strayed_lane(thread)) {
      const Culprit other = culprit_of(*lane);
      fault(rules::lanes_disagree,
            "this lane waits for " + explain_wait(thread) + ", but another of its warp, " +
                other.text() +
                (lane->state == Thread::State::finished ? ", has left"
                                                        : ", waits for " + explain_wait(*lane)),
            {.who = culprit_of(thread),
             .other = other,
             .cure = "no collective in code that only part of a warp runs",
             .situation = all});
    }
    return false;
  });
  Detail detail{.situation = all};
  if (who != nullptr) {
    detail.who = culprit_of(*who);
    detail.stage = waits_for_mbarrier(*who) ? stage_of_barrier(*who->cta, who->wait.address) : -1;
  }
  fault(rules::deadlock,
        who == nullptr
            ? "no thread, copy or multiply can go on"
            : "no thread, copy or multiply can go on; this one waits for " + explain_wait(*who),
        std::move(detail));
}

}  // namespace warpline::simulator
