#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "simulator/machine.h"

namespace warpline::simulator {

const char* to_string(Policy policy) {
  switch (policy) {
    case Policy::fair:
      return "fair";
    case Policy::random:
      return "random";
    case Policy::adversarial:
      return "adversarial";
  }
  return "?";
}

const char* to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::deadlock:
      return "deadlock";
    case FaultKind::no_progress:
      return "no progress";
    case FaultKind::out_of_bounds:
      return "out of bounds";
    case FaultKind::uninitialised_read:
      return "uninitialised read";
    case FaultKind::mbarrier_misuse:
      return "mbarrier misuse";
    case FaultKind::transaction_mismatch:
      return "transaction mismatch";
    case FaultKind::proxy_fence_missing:
      return "proxy fence missing";
    case FaultKind::mbarrier_fence_missing:
      return "mbarrier fence missing";
    case FaultKind::data_race:
      return "data race";
    case FaultKind::copy_race:
      return "copy race";
    case FaultKind::wgmma_race:
      return "wgmma race";
    case FaultKind::store_race:
      return "store race";
    case FaultKind::wgmma_misuse:
      return "wgmma misuse";
    case FaultKind::warp_disagreement:
      return "warp disagreement";
    case FaultKind::named_barrier_misuse:
      return "named barrier misuse";
    case FaultKind::register_pool:
      return "register pool";
    case FaultKind::copy_misuse:
      return "copy misuse";
    case FaultKind::exited_cta:
      return "exited CTA";
    case FaultKind::leak:
      return "leak";
  }
  return "?";
}

const char* basis_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::deadlock:
    case FaultKind::no_progress:
    case FaultKind::uninitialised_read:
    case FaultKind::leak:
      return "judgement";
    case FaultKind::out_of_bounds:
      return "PTX ISA, State Spaces: Shared State Space";
    case FaultKind::mbarrier_misuse:
    case FaultKind::transaction_mismatch:
      return "PTX ISA, mbarrier: Phase Completion, Tracking asynchronous operations";
    case FaultKind::mbarrier_fence_missing:
      return "PTX ISA, fence.mbarrier_init";
    case FaultKind::proxy_fence_missing:
      return "PTX ISA, Memory Consistency Model: Proxies, Async proxy";
    case FaultKind::data_race:
      return "PTX ISA, Memory Consistency Model: Causality Order";
    case FaultKind::copy_race:
      return "PTX ISA, Async operations: Completion Mechanisms";
    case FaultKind::store_race:
      return "PTX ISA, cp.async.bulk.wait_group";
    case FaultKind::wgmma_race:
    case FaultKind::wgmma_misuse:
      return "PTX ISA, Asynchronous Warpgroup Level Matrix Instructions";
    case FaultKind::warp_disagreement:
      return "PTX ISA, .aligned and .sync instructions";
    case FaultKind::named_barrier_misuse:
      return "PTX ISA, barrier; barrier.cluster";
    case FaultKind::register_pool:
      return "PTX ISA, setmaxnreg";
    case FaultKind::copy_misuse:
      return "PTX ISA, cp.async.bulk.tensor; CUDA driver API, cuTensorMapEncodeTiled";
    case FaultKind::exited_cta:
      return "PTX ISA, Shared State Space: lifetime of .shared::cluster";
  }
  return "?";
}

std::string Report::text() const {
  std::ostringstream out;
  out << to_string(kind) << " in " << kernel;
  if (warp >= 0) {
    out << ", " << (role.empty() ? "no role" : role) << " (CTA " << cta << ", warp " << warp
        << ", lane " << lane << ")";
  }
  if (!file.empty()) {
    out << " at " << file << ":" << line;
  }
  out << ": " << what << " [rule: " << basis_of(kind) << "] [replay: seed " << seed << ", policy "
      << to_string(policy) << "]";
  return out.str();
}

std::string describe(const Thread& thread) {
  std::ostringstream out;
  out << (thread.role[0] == 0 ? "thread" : thread.role) << " (CTA " << thread.cta->linear
      << ", warp " << thread.warp->index << ", lane " << thread.lane << ")";
  return out.str();
}

std::string describe_barrier(const Cta& cta, std::uint32_t address) {
  const auto name = cta.mbarrier_names.find(address);
  if (name != cta.mbarrier_names.end()) {
    return name->second;
  }
  return "the mbarrier at shared address " + std::to_string(address);
}

const Region* region_of(const Cta& cta, std::uint32_t offset) {
  for (const Region& region : cta.regions) {
    if (offset >= region.begin && offset < region.end) {
      return &region;
    }
  }
  return nullptr;
}

std::string describe_place(const Cta& cta, std::uint32_t offset) {
  const Region* region = region_of(cta, offset);
  return region != nullptr ? region->name + " (byte " + std::to_string(offset - region->begin) + ")"
                           : "shared memory at offset " + std::to_string(offset);
}

namespace {

std::string explain_mbarrier(const Cta& cta, std::uint32_t address, unsigned parity) {
  std::ostringstream out;
  out << describe_barrier(cta, address) << ", parity " << parity;
  const auto found = cta.mbarriers.find(address);
  if (found == cta.mbarriers.end()) {
    out << " (no longer a barrier)";
    return out.str();
  }
  const MbarrierState& state = found->second;
  out << ": phase " << state.phase << " has " << state.expected - state.pending << " of "
      << state.expected << " arrivals";
  if (state.announced != 0 || state.delivered != 0) {
    out << " and " << state.delivered << " of " << state.announced << " announced bytes";
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
    case Wait::Kind::none:
      out << "its turn";
      break;
  }
  return out.str();
}

}  // namespace

std::string explain_deadlock(Machine& machine) {
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
  out << "no thread, copy or multiply can go on";
  constexpr std::size_t shown = 12;
  for (std::size_t i = 0; i < order.size() && i < shown; ++i) {
    const Group& group = groups.at(order[i]);
    out << "\n  " << order[i] << " [" << group.threads << " thread"
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
  out << "\n";
  return out.str();
}

}  // namespace warpline::simulator
