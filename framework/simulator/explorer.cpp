#include "simulator/explorer.h"

#include <algorithm>
#include <stdexcept>

namespace warpline::simulator {

void Explorer::begin_path() {
  depth_ = 0;
  clocks_.clear();
  numbers_.clear();
}

std::size_t Explorer::choose(const std::vector<ProcessId>& enabled) {
  if (depth_ == path_.size()) {
    Node node;
    node.enabled = enabled;
    if (!reduce_) {
      node.backtrack.insert(enabled.begin(), enabled.end());
    } else if (depth_ != 0) {
      // Whoever sleeps goes on sleeping, unless the step before concerns it.
      const Node& parent = path_[depth_ - 1];
      for (const auto* asleep : {&parent.sleep, &parent.done}) {
        for (const auto& [process, footprint] : *asleep) {
          if (process != parent.chosen &&
              relation(footprint, parent.footprint) == Relation::independent) {
            node.sleep.emplace(process, footprint);
          }
        }
      }
    }
    const auto awake = std::find_if(enabled.begin(), enabled.end(), [&](ProcessId process) {
      return !node.sleep.contains(process);
    });
    if (awake == enabled.end()) {
      throw Redundant();
    }
    node.chosen = *awake;
    node.backtrack.insert(node.chosen);
    path_.push_back(std::move(node));
    ++states_;
    longest_ = std::max(longest_, path_.size());
  }
  const Node& node = path_[depth_];
  const auto place = std::find(enabled.begin(), enabled.end(), node.chosen);
  if (place == enabled.end()) {
    throw std::logic_error(
        "exhaustive exploration: the kernel did not repeat itself; it must depend on its arguments "
        "only, and run() must reset what the kernel writes");
  }
  return static_cast<std::size_t>(place - enabled.begin());
}

bool Explorer::happens_before(const Node& step, const Clock& clock) const {
  const auto known = clock.find(step.chosen);
  return known != clock.end() && known->second >= step.number;
}

/// `process` is about to do `footprint`, knowing `clock`. The last step that it races with could
/// have come after it: from the state before that step, somebody who leads there must be tried.
void Explorer::add_backtrack_points(std::size_t before, ProcessId process,
                                    const Footprint& footprint, const Clock& clock) {
  for (std::size_t i = before; i-- > 0;) {
    Node& node = path_[i];
    if (node.chosen == process || happens_before(node, clock) ||
        relation(node.footprint, footprint) != Relation::racing) {
      continue;
    }
    const auto enabled = [&](ProcessId p) {
      return std::find(node.enabled.begin(), node.enabled.end(), p) != node.enabled.end();
    };
    if (enabled(process)) {
      node.backtrack.insert(process);
      return;
    }
    for (std::size_t j = i + 1; j < before; ++j) {
      if (enabled(path_[j].chosen) && happens_before(path_[j], clock)) {
        node.backtrack.insert(path_[j].chosen);
        return;
      }
    }
    node.backtrack.insert(node.enabled.begin(), node.enabled.end());
    return;
  }
}

void Explorer::stepped(const Footprint& footprint, const Footprint& wanted) {
  Node& node = path_[depth_];
  Clock& clock = clocks_[node.chosen];
  if (!footprint.empty()) {
    add_backtrack_points(depth_, node.chosen, footprint, clock);
    for (std::size_t i = 0; i < depth_; ++i) {
      if (!happens_before(path_[i], clock) &&
          relation(path_[i].footprint, footprint) != Relation::independent) {
        for (const auto& [process, count] : path_[i].clock) {
          std::uint64_t& mine = clock[process];
          mine = std::max(mine, count);
        }
      }
    }
  }
  node.number = ++numbers_[node.chosen];
  clock[node.chosen] = node.number;
  node.clock = clock;
  node.footprint = footprint;
  // A step that only began to wait races with nobody: the same step after the arrival is the one
  // that counts, and must not be slept through.
  Footprint& done = node.done[node.chosen];
  done = footprint;
  done.insert(done.end(), wanted.begin(), wanted.end());
  ++depth_;
}

void Explorer::stuck(ProcessId process, const Footprint& wanted) {
  add_backtrack_points(depth_, process, wanted, clocks_[process]);
}

bool Explorer::next_path() {
  // A run may end within a step (a fault, an exception): that step counts as taken.
  if (depth_ < path_.size()) {
    Node& last = path_[depth_];
    last.done.try_emplace(last.chosen);
  }
  while (!path_.empty()) {
    Node& node = path_.back();
    for (const ProcessId process : node.backtrack) {
      if (!node.done.contains(process) && !node.sleep.contains(process)) {
        node.chosen = process;
        return true;
      }
    }
    path_.pop_back();
  }
  return false;
}

}  // namespace warpline::simulator
