// Who goes on next, by each policy.
#include <algorithm>
#include <array>
#include <utility>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

/// Who can run may be polling for what the adversary holds back: it does so for this many steps.
constexpr std::uint64_t patience = 256;
constexpr std::uint64_t patience_with_lanes = 64 * patience;
constexpr unsigned no_lane = 32;

/// Policy::priorities: below this are those whom a change point has put back, the last lowest.
constexpr std::uint32_t first_low_priority = 1u << 20;

}  // namespace

void Machine::begin_schedule() {
  starved_ = random.next();
  // Every other seed: the others hold back a whole warp.
  starved_lane_ = options.policy == Policy::adversarial && options.seed % 2 == 0
                      ? static_cast<unsigned>(starved_ >> 32) % 32
                      : no_lane;
  if (options.policy == Policy::priorities) {
    const std::uint64_t steps = options.expected_steps != 0 ? options.expected_steps : 4096;
    for (int i = 1; i < options.depth; ++i) {
      change_points_.push_back(random.below(steps));
    }
    std::sort(change_points_.rbegin(), change_points_.rend());
  }
}

std::uint32_t Machine::random_priority() {
  return options.policy == Policy::priorities
             ? first_low_priority + static_cast<std::uint32_t>(random.below(1u << 30))
             : 0;
}

/// One warp runs, or one agent takes a step. False if nobody can.
bool Machine::step() {
  if (ready_.empty() && copies.empty() && multiplies.empty()) {
    return false;
  }
  switch (options.policy) {
    case Policy::priorities:
      step_by_priority();
      break;
    case Policy::exhaustive:
      step_as_explored();
      break;
    case Policy::timed:
      step_by_clock();
      break;
    case Policy::fair:
    case Policy::random:
    case Policy::adversarial:
      step_by_lot();
      break;
  }
  return true;
}

void Machine::step_by_lot() {
  const std::size_t agents = copies.size() + multiplies.size();
  bool agent = ready_.empty();
  if (!agent && agents != 0) {
    if (options.policy == Policy::fair) {
      agent = (statistics.steps & 1) != 0;
    } else if (options.policy == Policy::random) {
      agent = random.one_in(4);
    } else {
      agent = statistics.steps - last_agent_step_ > patience ||
              std::all_of(ready_.begin(), ready_.end(),
                          [&](const Warp* warp) { return only_held_back(*warp); });
    }
  }
  if (agent || agents == 0) {
    last_agent_step_ = statistics.steps;
  }
  if (!agent) {
    run_warp(*pick_warp());
    return;
  }
  run_agent(options.policy == Policy::fair ? 0 : static_cast<std::size_t>(random.below(agents)));
}

/// Copies come before multiplies.
void Machine::run_agent(std::size_t choice) {
  if (choice < copies.size()) {
    if (advance_copy(*copies[choice])) {
      ++statistics.copies;
      if (options.policy == Policy::fair) {
        copies.erase(copies.begin());
      } else {
        std::swap(copies[choice], copies.back());
        copies.pop_back();
      }
    }
  } else {
    Warpgroup& warpgroup = *multiplies[choice - copies.size()];
    advance_multiply(warpgroup);
    ++statistics.multiplies;
    if (warpgroup.queued == warpgroup.done) {
      std::swap(multiplies[choice - copies.size()], multiplies.back());
      multiplies.pop_back();
    }
  }
  ++progress;
}

/// Nothing but a meeting keeps the lanes of a warp together, so the adversary holds one of them
/// back as long as the others go on.
unsigned Machine::lane_to_hold_back(const Warp& warp) {
  return warp.ready_lanes == 1 || ++held_back_ % patience_with_lanes == 0 ? no_lane : starved_lane_;
}

/// ... and even while they wait for something else than for that lane.
bool Machine::only_held_back(const Warp& warp) const {
  if (starved_lane_ == no_lane || warp.ready_lanes != 1 || warp.lanes[starved_lane_] == nullptr ||
      warp.lanes[starved_lane_]->state != Thread::State::ready) {
    return false;
  }
  return std::none_of(warp.lanes.begin(), warp.lanes.end(), [](const Thread* lane) {
    return lane != nullptr && lane->state == Thread::State::blocked &&
           lane->wait.kind != Wait::Kind::mbarrier && lane->wait.kind != Wait::Kind::try_mbarrier;
  });
}

Warp* Machine::pick_warp() {
  if (options.policy == Policy::fair) {
    return ready_[round_robin_++ % ready_.size()];
  }
  Warp* warp = ready_[random.below(ready_.size())];
  if (options.policy == Policy::adversarial && ready_.size() > 1) {
    const auto starved = [&](const Warp& w) {
      if (starved_lane_ != no_lane) {
        return only_held_back(w);
      }
      return (w.index + w.cta->linear * w.cta->warps.size()) %
                 (w.cta->warps.size() * w.cta->cluster->ctas.size()) ==
             starved_ % (w.cta->warps.size() * w.cta->cluster->ctas.size());
    };
    // A warp may be starved as long as somebody else can run (and makes progress: see patience).
    Warp* const drawn = warp;
    for (std::size_t i = 0; i < ready_.size() && starved(*warp); ++i) {
      warp = ready_[i];
    }
    const std::uint64_t limit = starved_lane_ == no_lane ? patience : patience_with_lanes;
    if (warp != drawn && ++starved_draws_ % limit == 0) {
      warp = drawn;
    }
  }
  return warp;
}

/// The highest goes on. At a change point it falls below all others instead.
void Machine::step_by_priority() {
  Warp* warp = nullptr;
  std::size_t agent = 0;
  std::uint32_t* highest = nullptr;
  const auto consider = [&](std::uint32_t& priority) {
    if (highest != nullptr && priority <= *highest) {
      return false;
    }
    highest = &priority;
    return true;
  };
  for (Warp* candidate : ready_) {
    if (consider(candidate->priority)) {
      warp = candidate;
    }
  }
  for (std::size_t i = 0; i < copies.size() + multiplies.size(); ++i) {
    if (consider(i < copies.size() ? copies[i]->priority
                                   : multiplies[i - copies.size()]->priority)) {
      warp = nullptr;
      agent = i;
    }
  }
  if (!change_points_.empty() && statistics.steps >= change_points_.back()) {
    change_points_.pop_back();
    *highest = lower_priority();
    return;
  }
  if (warp != nullptr) {
    run_warp(*warp);
  } else {
    run_agent(agent);
  }
}

std::uint32_t Machine::lower_priority() {
  // Who polls falls again and again: start anew rather than wrap.
  lowest_priority_ = lowest_priority_ == 0 ? first_low_priority - 1 : lowest_priority_ - 1;
  return lowest_priority_;
}

void Machine::step_as_explored() {
  std::vector<std::pair<ProcessId, std::size_t>> able;
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    able.emplace_back(ready_[i]->process, i);
  }
  for (std::size_t i = 0; i < copies.size(); ++i) {
    able.emplace_back(copies[i]->process, ready_.size() + i);
  }
  for (std::size_t i = 0; i < multiplies.size(); ++i) {
    able.emplace_back(multiplies[i]->process, ready_.size() + copies.size() + i);
  }
  std::sort(able.begin(), able.end());
  std::vector<ProcessId> processes;
  for (const auto& [process, place] : able) {
    processes.push_back(process);
  }
  const std::size_t choice = able[options.explorer->choose(processes)].second;
  footprint_.clear();
  wanted_.clear();
  if (choice < ready_.size()) {
    Warp& warp = *ready_[choice];
    run_warp(warp);
    note_wanted(warp);
  } else {
    run_agent(choice - ready_.size());
  }
  if (!failure_ && !exception_) {
    options.explorer->stepped(footprint_, wanted_);
  }
}

/// What a warp that blocked would have done.
void Machine::note_wanted(const Warp& warp) {
  for (const Thread* lane : warp.lanes) {
    if (lane == nullptr || lane->state != Thread::State::blocked) {
      continue;
    }
    if (lane->wait.kind == Wait::Kind::mbarrier || lane->wait.kind == Wait::Kind::try_mbarrier) {
      const Touch touch{.object =
                            object_of(ObjectType::mbarrier, lane->cta->linear, lane->wait.address)};
      if (std::find(wanted_.begin(), wanted_.end(), touch) == wanted_.end()) {
        wanted_.push_back(touch);
      }
    }
  }
}

/// Tells the explorer who waits in vain.
void Machine::note_stuck() {
  if (options.explorer == nullptr) {
    return;
  }
  for (const auto& cluster : clusters) {
    for (const auto& cta : cluster->ctas) {
      for (const auto& warp : cta->warps) {
        wanted_.clear();
        note_wanted(*warp);
        if (!wanted_.empty()) {
          options.explorer->stuck(warp->process, wanted_);
        }
      }
    }
  }
}

void Machine::touch(ObjectType type, std::uint64_t owner, std::uint64_t name, Touch::Kind kind,
                    std::uint64_t phase) {
  if (options.explorer == nullptr) {
    return;
  }
  const Touch touch{.object = object_of(type, owner, name), .phase = phase, .kind = kind};
  if (std::find(footprint_.begin(), footprint_.end(), touch) == footprint_.end()) {
    footprint_.push_back(touch);
  }
}

void Machine::preempt() {
  if (thread().fiber->unwinds()) {
    return;  // its exception is what the simulation ends with
  }
  switch (options.policy) {
    case Policy::fair:
      return;
    case Policy::random:
    case Policy::adversarial:
      if (random.one_in(8)) {
        break;
      }
      return;
    case Policy::timed:
      spend(options.costs.instruction);
      return;
    case Policy::priorities:
    case Policy::exhaustive:
      break;
  }
  thread().fiber->pause();
}

void Machine::yield_now() {
  thread().time += options.costs.wake;  // who polls does not do so in no time
  if (options.policy == Policy::priorities) {
    thread().warp->priority = lower_priority();  // who polls must let others do what it polls for
  }
  thread().fiber->pause();
}

}  // namespace warpline::simulator
