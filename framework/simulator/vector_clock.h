// Vector clocks: what a thread knows of everybody else's past. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace warpline::simulator {

/// One counter per actor (threads, mbarriers, and the agents' completions) of a cluster. Actors
/// that join later read as zero.
class VectorClock {
 public:
  std::uint32_t operator[](std::uint32_t actor) const {
    return actor < counts_.size() ? counts_[actor] : 0;
  }

  void raise(std::uint32_t actor, std::uint32_t count) {
    if (actor >= counts_.size()) {
      counts_.resize(actor + 1);
    }
    counts_[actor] = std::max(counts_[actor], count);
  }

  /// What the other knows, this one knows too.
  void join(const VectorClock& other) {
    if (other.counts_.size() > counts_.size()) {
      counts_.resize(other.counts_.size());
    }
    const std::size_t n = other.counts_.size();
    std::uint32_t* const mine = counts_.data();
    const std::uint32_t* const theirs = other.counts_.data();
    for (std::size_t i = 0; i < n; ++i) {
      mine[i] = mine[i] > theirs[i] ? mine[i] : theirs[i];
    }
  }

  void clear() { counts_.clear(); }

 private:
  std::vector<std::uint32_t> counts_;
};

/// What is known of another cluster, whose actors have numbers of their own.
struct ClusterKnowledge {
  VectorClock all;
  VectorClock fenced_global;

  void join(const ClusterKnowledge& other) {
    all.join(other.all);
    fenced_global.join(other.fenced_global);
  }
};

/// What passes along a synchronisation: everything known, and the part of it that proxy fences have
/// made visible to the copy engine and the tensor cores.
struct Knowledge {
  VectorClock all;
  VectorClock fenced;         ///< ordinary accesses to shared memory
  VectorClock fenced_global;  ///< ordinary accesses to global memory
  /// By serial number of the cluster; empty unless clusters synchronise through global memory.
  std::map<std::uint32_t, ClusterKnowledge> others;

  void join(const Knowledge& other) {
    for (const auto& [cluster, known] : other.others) {
      others[cluster].join(known);
    }
    all.join(other.all);
    fenced.join(other.fenced);
    fenced_global.join(other.fenced_global);
  }
};

}  // namespace warpline::simulator
