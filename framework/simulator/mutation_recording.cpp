// What a kernel's instructions do while nothing is mutated: the facts that the rules of
// mutation_rules.cpp go by. They are taken from the instructions themselves, not from the
// simulator's checks: a rule must not be right because a check is missing.
#include <algorithm>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/// Whether the wait has nothing to wait for.
bool is_vacuous(const Thread& self, const Call& call) {
  switch (call.instruction) {
    case Instruction::mbarrier_wait:
    case Instruction::mbarrier_try_wait:
    case Instruction::mbarrier_test_wait: {
      if (!self.cta->memory.contains(call.barrier, 8)) {
        return false;
      }
      const auto barrier = self.cta->mbarriers.find(self.cta->memory.offset(call.barrier));
      return barrier != self.cta->mbarriers.end() && barrier->second.phase == 0 && call.value == 1;
    }
    case Instruction::wgmma_wait_group:
      return self.wgmma.groups.size() <= call.value;
    case Instruction::bulk_wait_group:
    case Instruction::bulk_wait_group_read:
      return self.bulk.open <= call.value;
    default:
      return false;
  }
}

std::uint64_t cta_number(const Cta& cta, std::uint64_t launch) { return launch << 32 | cta.linear; }

}  // namespace

std::uint64_t thread_number(const Thread& thread, std::uint64_t launch) {
  return cta_number(*thread.cta, launch) << 12 | thread.index;
}

void SiteFacts::merge(const SiteFacts& other) {
  if (other.executions == 0) {
    return;
  }
  executions += other.executions;
  smallest_value = std::min(smallest_value, other.smallest_value);
  all_values |= other.all_values;
  increases = increases || other.increases;
  largest_count = std::max(largest_count, other.largest_count);
  vacuous += other.vacuous;
  first_is_vacuous = first_is_vacuous && other.first_is_vacuous;
  idle += other.idle;
  only_meeting = only_meeting || other.only_meeting;
  tells_phases = tells_phases || other.tells_phases;
  tells_initialisation = tells_initialisation || other.tells_initialisation;
  tells_global = tells_global || other.tells_global;
  loads_follow = loads_follow || other.loads_follow;
  engines_follow = engines_follow || other.engines_follow;
  for (const auto& [site, touched] : other.next) {
    next[site] |= touched;
  }
  by_thread.insert(other.by_thread.begin(), other.by_thread.end());
}

void Recording::merge(const Recording& other) {
  sites.resize(std::max(sites.size(), other.sites.size()));
  for (std::size_t site = 0; site < other.sites.size(); ++site) {
    sites[site].merge(other.sites[site]);
  }
  steps = std::max(steps, other.steps);
  loads_by_unfenced = loads_by_unfenced || other.loads_by_unfenced;
}

void Mutator::record(Machine& machine, const Call& call, std::size_t site) {
  Thread& self = machine.thread();
  MutationState& state = self.mutation;
  recording_.sites.resize(sites_->sites().size());
  SiteFacts& facts = recording_.sites[site];
  // All of the cluster then know what each did before. (What is done between the two is not told.)
  const bool told_cluster =
      call.instruction == Instruction::cluster_wait && state.touched == 0 && state.last_site &&
      sites_->sites()[*state.last_site].instruction == Instruction::cluster_arrive;
  const unsigned ordinary = state.touched & (touches_shared | touches_global);
  state.global_before = state.global_before || (ordinary & touches_global) != 0 ||
                        call.instruction == Instruction::bulk_wait_group;
  if (ordinary != 0) {
    state.news.own = ~0u;
    state.unfenced |= ordinary;
  }
  // Executions of one site in a row are delayed together: what comes after is another site.
  if (state.last_site && *state.last_site != site) {
    recording_.sites[*state.last_site].next[site] |= state.touched;
  }
  if (state.last_site != site) {
    state.touched = 0;
  }
  state.last_site = site;
  ++facts.executions;
  facts.smallest_value = std::min(facts.smallest_value, call.value);
  facts.all_values |= call.value;
  facts.increases = facts.increases || call.other != 0;
  SiteFacts::Times& times = facts.by_thread[thread_number(self, launches_)];
  facts.largest_count = std::max(facts.largest_count, ++times.count);
  times.loads = loads_[cta_number(*self.cta, launches_)];
  if (times.count == 1) {
    times.engines = engines_[cta_number(*self.cta, launches_)];
  }
  const bool vacuous = is_vacuous(self, call);
  facts.vacuous += vacuous ? 1 : 0;
  facts.first_is_vacuous = facts.first_is_vacuous && (times.count > 1 || vacuous);
  recording_.steps = std::max(recording_.steps, machine.statistics.steps);
  if (!vacuous) {
    record_wait(self, call);
  }
  record_fence(self, call, site);
  record_meeting(self, call, site);
  if (told_cluster) {
    state.news.own = 0;
    state.initialised = 0;
  }
}

/// A wait brings news. Those of an mbarrier are the same for all who wait for that phase, those of
/// a multiply for the warp; who waits for a bulk group waits alone.
void Mutator::record_wait(Thread& self, const Call& call) {
  News& news = self.mutation.news;
  std::uint64_t common = 0;
  switch (call.instruction) {
    case Instruction::mbarrier_wait:
    case Instruction::mbarrier_try_wait:
    case Instruction::mbarrier_test_wait:
      common = reinterpret_cast<std::uintptr_t>(call.barrier) * 2 + call.value;
      break;
    case Instruction::cluster_wait:
      common = 1;
      break;
    case Instruction::wgmma_wait_group:
      common = 3 + 2 * std::uint64_t{self.warp->index};
      break;
    case Instruction::bulk_wait_group:
    case Instruction::bulk_wait_group_read:
    case Instruction::atomic_access:
      news.own = ~0u;
      return;
    default:
      return;
  }
  for (std::uint64_t& hash : news.common) {
    hash = mixed(hash, common);
  }
}

void Mutator::record_fence(Thread& self, const Call& call, std::size_t site) {
  MutationState& state = self.mutation;
  if (call.instruction == Instruction::fence_mbarrier_init) {
    state.fenced_barriers = true;
    state.news.own = ~0u;
  }
  if (call.instruction == Instruction::mbarrier_init) {
    state.news.own = ~0u;
    state.initialised = ~0u;
  }
  if (call.instruction != Instruction::fence_proxy_async) {
    return;
  }
  const unsigned space =
      static_cast<Space>(call.value) == Space::shared ? touches_shared : touches_global;
  if ((state.unfenced & space) == 0) {
    ++recording_.sites[site].idle;
  } else {
    state.unfenced &= ~space;
    state.news.own = ~0u;
  }
}

void Mutator::record_meeting(Thread& self, const Call& call, std::size_t site) {
  unsigned barrier = 0;
  switch (call.instruction) {
    case Instruction::syncwarp:
      barrier = News::warp;
      break;
    case Instruction::syncthreads:
      break;
    case Instruction::named_barrier_sync:
    case Instruction::named_barrier_arrive:
      barrier = call.other % News::warp;
      break;
    default:
      return;
  }
  MutationState& state = self.mutation;
  News& news = state.news;
  recording_.sites[site].tells_global = recording_.sites[site].tells_global || state.global_before;
  const std::uint64_t who = barrier == News::warp ? barrier + self.warp->index : barrier;
  Meeting& meeting =
      meetings_[{cta_number(*self.cta, launches_), who, state.generation[barrier]++}];
  if (meeting.sites.empty()) {
    meeting.news = news.common[barrier];
  }
  meeting.same_phases = meeting.same_phases && meeting.news == news.common[barrier];
  meeting.idle = meeting.idle && (news.own >> barrier & 1) == 0;
  meeting.initialised = meeting.initialised || (state.initialised >> barrier & 1) != 0;
  ++meeting.sites[site];
  // A warp's meeting tells the warp; a wider one its warps, too.
  news.own &= ~(1u << barrier | 1u << News::warp);
  state.initialised &= ~(1u << barrier);
  news.common[barrier] = 0;
  news.common[News::warp] = 0;
  const auto last = state.meetings_at.find(site);
  if (last != state.meetings_at.end() && last->second == state.meetings) {
    recording_.sites[site].only_meeting = true;
  }
  state.meetings_at[site] = ++state.meetings;
}

void Mutator::note_load(const Thread& issuer, const Cta& target) {
  ++loads_[cta_number(target, launches_)];
  note_engine(target);
  recording_.loads_by_unfenced = recording_.loads_by_unfenced || !issuer.mutation.fenced_barriers;
}

void Mutator::note_engine(const Cta& source) { ++engines_[cta_number(source, launches_)]; }

const Recording& Mutator::recording() {
  for (const auto& [key, meeting] : meetings_) {
    for (const auto& [site, threads] : meeting.sites) {
      SiteFacts& facts = recording_.sites[site];
      facts.idle += meeting.idle && meeting.same_phases ? threads : 0;
      facts.tells_phases = facts.tells_phases || !meeting.same_phases;
      facts.tells_initialisation = facts.tells_initialisation || meeting.initialised;
    }
  }
  meetings_.clear();
  for (SiteFacts& facts : recording_.sites) {
    for (const auto& [thread, times] : facts.by_thread) {
      facts.loads_follow = facts.loads_follow || times.loads != loads_[thread >> 12];
      facts.engines_follow = facts.engines_follow || times.engines != engines_[thread >> 12];
    }
  }
  return recording_;
}

}  // namespace warpline::simulator
