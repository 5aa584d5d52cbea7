#include "simulator/mutator.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

/// "full" of "full[0]"; empty for a barrier without a name. Of setmaxnreg, the direction; of atomic
/// accesses, what they order.
std::string_view kind_of_barrier(const Cta& cta, const Call& call) {
  const void* const barrier = call.barrier;
  if (call.instruction == Instruction::setmaxnreg) {
    return call.other != 0 ? "inc" : "dec";
  }
  if (call.instruction == Instruction::atomic_access) {
    return call.value == acquires ? "acquire" : call.value == releases ? "release" : "acq_rel";
  }
  if (barrier == nullptr || !cta.memory.contains(barrier, 1)) {
    return {};
  }
  const auto name = cta.mbarrier_names.find(cta.memory.offset(barrier));
  if (name == cta.mbarrier_names.end()) {
    return {};
  }
  return std::string_view(name->second.text).substr(0, name->second.text.find('['));
}

/// Runs the instruction itself: `replaying` keeps the mutator out of it.
bool carry_out(Thread& thread, const Call& call) {
  struct Replay {
    explicit Replay(MutationState& mutation) : state(mutation) { state.replaying = true; }
    ~Replay() { state.replaying = false; }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;
    MutationState& state;
  } const replay(thread.mutation);
  switch (call.instruction) {
    case Instruction::mbarrier_init:
      mbarrier_init(call.barrier, call.value);
      break;
    case Instruction::mbarrier_arrive:
      mbarrier_arrive(call.barrier, call.value);
      break;
    case Instruction::mbarrier_arrive_remote:
      mbarrier_arrive_remote(call.barrier, call.other);
      break;
    case Instruction::mbarrier_arrive_expect_tx:
      mbarrier_arrive_expect_tx(call.barrier, call.value);
      break;
    case Instruction::mbarrier_expect_tx:
      mbarrier_expect_tx(call.barrier, call.value);
      break;
    case Instruction::mbarrier_test_wait:
      return mbarrier_test_wait(call.barrier, call.value);
    case Instruction::mbarrier_try_wait:
      return mbarrier_try_wait(call.barrier, call.value);
    case Instruction::mbarrier_wait:
      mbarrier_wait(call.barrier, call.value);
      break;
    case Instruction::fence_mbarrier_init:
      fence_mbarrier_init();
      break;
    case Instruction::fence_proxy_async:
      fence_proxy_async(static_cast<Space>(call.value));
      break;
    case Instruction::wgmma_fence:
      wgmma_fence();
      break;
    case Instruction::wgmma_commit_group:
      wgmma_commit_group();
      break;
    case Instruction::wgmma_wait_group:
      wgmma_wait_group(call.value);
      break;
    case Instruction::bulk_commit_group:
      bulk_commit_group();
      break;
    case Instruction::bulk_wait_group_read:
      bulk_wait_group_read(call.value);
      break;
    case Instruction::bulk_wait_group:
      bulk_wait_group(call.value);
      break;
    case Instruction::syncthreads:
      syncthreads();
      break;
    case Instruction::named_barrier_sync:
      named_barrier_sync(call.other, call.value);
      break;
    case Instruction::named_barrier_arrive:
      named_barrier_arrive(call.other, call.value);
      break;
    case Instruction::cluster_arrive:
      cluster_arrive();
      break;
    case Instruction::cluster_wait:
      cluster_wait();
      break;
    case Instruction::syncwarp:
      syncwarp();
      break;
    case Instruction::setmaxnreg:
      setmaxnreg(static_cast<int>(call.value), call.other != 0);
      break;
    case Instruction::atomic_access:
      break;  // carried out by the isa layer: only weakened
  }
  return true;
}

}  // namespace

std::size_t SiteTable::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.barrier;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u; };
  mix(reinterpret_cast<std::uintptr_t>(key.file));
  mix(reinterpret_cast<std::uintptr_t>(key.role));
  mix(key.line);
  mix(static_cast<std::uint64_t>(key.instruction));
  return hash ^ hash >> 32;
}

std::size_t SiteTable::site_of(const Thread& thread, const Call& call) {
  const std::string_view barrier = kind_of_barrier(*thread.cta, call);
  const Key key{.file = thread.file,
                .role = thread.role,
                .barrier = std::hash<std::string_view>{}(barrier),
                .line = thread.line,
                .instruction = call.instruction};
  const auto known = known_.find(key);
  if (known != known_.end()) {
    return known->second;
  }
  MutationSite site{.instruction = call.instruction,
                    .file = thread.file,
                    .line = thread.line,
                    .role = thread.role,
                    .barrier = std::string(barrier)};
  const std::string text = site.file + '\n' + site.text();
  const auto [entry, fresh] = by_text_.try_emplace(text, sites_.size());
  if (fresh) {
    sites_.push_back(std::move(site));
  }
  known_.emplace(key, entry->second);
  return entry->second;
}

void Mutator::begin_launch() { ++launches_; }

std::optional<bool> Mutator::intercept(Machine& machine, const Call& call) {
  Thread& self = machine.thread();
  const MutationState& state = self.mutation;
  if (state.replaying) {
    return std::nullopt;
  }
  const std::size_t site = sites_->site_of(self, call);
  if (!mutates_) {
    record(machine, call, site);
    return std::nullopt;
  }
  if (!is_target(machine, site)) {
    if (state.delayed.empty()) {
      return std::nullopt;
    }
    const bool result = carry_out(self, call);
    run_delayed(self);
    return result;
  }
  ++changes_;
  return run_changed(machine, call);
}

void Mutator::weaken(Machine& machine, AtomicAccess& access) {
  const Call call{.instruction = Instruction::atomic_access,
                  .value = (access.acquire ? acquires : 0u) | (access.release ? releases : 0u)};
  const std::size_t site = sites_->site_of(machine.thread(), call);
  if (!mutates_) {
    record(machine, call, site);
    machine.thread().mutation.touched |= touches_global;
    return;
  }
  if (is_target(machine, site)) {
    ++changes_;
    access.acquire = access.acquire && mutant_.change != Change::no_acquire;
    access.release = access.release && mutant_.change != Change::no_release;
  }
}

void Mutator::end_atomic(Machine& machine) {
  if (mutates_) {
    run_delayed(machine.thread());
  }
}

bool Mutator::is_target(Machine& machine, std::size_t site) {
  if (site != mutant_.site) {
    return false;
  }
  Thread& self = machine.thread();
  ++self.mutation.executions;
  switch (mutant_.occurrence) {
    case Occurrence::every:
      return true;
    case Occurrence::first:
      return self.mutation.executions == 1;
    case Occurrence::last: {
      const auto times = target_facts_->by_thread.find(thread_number(self, launches_));
      return times != target_facts_->by_thread.end() &&
             self.mutation.executions == times->second.count;
    }
  }
  return false;
}

bool Mutator::run_changed(Machine& machine, Call call) {
  Thread& self = machine.thread();
  switch (mutant_.change) {
    case Change::remove:
      return true;
    case Change::duplicate:
      carry_out(self, call);
      break;
    case Change::delay:
      self.mutation.delayed.push_back(call);
      return true;
    case Change::one_arrival_more:
    case Change::one_group_fewer:
      ++call.value;
      break;
    case Change::one_arrival_fewer:
      --call.value;
      break;
    case Change::sixteen_bytes_more:
      call.value += 16;
      break;
    case Change::sixteen_bytes_fewer:
      call.value -= 16;
      break;
    case Change::read_only:
      call.instruction = Instruction::bulk_wait_group_read;
      break;
    case Change::other_parity:
    case Change::other_space:
      call.value ^= 1;
      break;
    case Change::no_acquire:
    case Change::no_release:
      break;
    case Change::one_warp_more:
      call.value += 32;
      break;
  }
  return carry_out(self, call);
}

void Mutator::run_delayed(Thread& thread) {
  const std::vector<Call> delayed = std::exchange(thread.mutation.delayed, {});
  for (const Call& call : delayed) {
    carry_out(thread, call);
  }
}

void Mutator::end_thread(Machine& machine) {
  Thread& self = machine.thread();
  if (mutates_) {
    run_delayed(self);
    return;
  }
  if (self.mutation.last_site) {
    recording_.sites[*self.mutation.last_site].next[end_of_thread] |= self.mutation.touched;
  }
}

}  // namespace warpline::simulator
