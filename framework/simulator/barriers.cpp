// Named barriers, the cluster's barrier.
#include <algorithm>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

std::uint64_t number(unsigned id, std::uint64_t generation) {
  return std::uint64_t{id} << 32 | (generation + 1);
}

/// Arrivals of one turn commute; arrivals of different turns do not.
void touch_named(const Cta& cta, unsigned id, std::uint64_t generation) {
  Machine& m = machine();
  m.touch(ObjectType::named_barrier, cta.linear, number(id, ~std::uint64_t{0}), Touch::Kind::arrive,
          generation);
  m.touch(ObjectType::named_barrier, cta.linear, number(id, generation), Touch::Kind::arrive, 0);
}

/// A barrier's number may serve one set of warps only, while they use it: two groups that meet at
/// one number would mix their arrivals.
void note_warp(NamedBarrier& barrier, unsigned id) {
  Machine& m = machine();
  const Warp* warp = m.thread().warp;
  const auto place = std::lower_bound(barrier.warps.begin(), barrier.warps.end(), warp);
  if (place != barrier.warps.end() && *place == warp) {
    return;
  }
  barrier.warps.insert(place, warp);
  if (barrier.warps.size() == 1) {
    barrier.site = m.site_of(m.thread());
  }
  if (!barrier.warps_before.empty() &&
      !std::binary_search(barrier.warps_before.begin(), barrier.warps_before.end(), warp)) {
    std::string before;
    for (const Warp* other : barrier.warps_before) {
      before += (before.empty() ? "" : ", ") + std::to_string(other->index);
    }
    const Culprit other = culprit_of(m.sites[barrier.last_site]);
    m.fault(rules::named_barrier_shared,
            "named barrier " + std::to_string(id) + " is used by warp " +
                std::to_string(warp->index) + ", but the last time warps " + before +
                " met there (" + other.text() + ")",
            {.other = other, .cure = "give each group of warps a barrier of its own"});
  }
}

/// True if this arrival completed the barrier.
bool arrive_named(unsigned id, unsigned threads) {
  Machine& m = machine();
  Cta& cta = m.cta();
  if (id >= cta.named.size()) {
    m.fault(rules::named_barrier_number,
            "there is no named barrier " + std::to_string(id) + ": identifiers are 0..15");
  }
  if (threads == 0 || threads % 32 != 0 || threads > 1024) {
    m.fault(rules::named_barrier_count, "named barrier " + std::to_string(id) + " for " +
                                            std::to_string(threads) +
                                            " threads: the count is a multiple of 32");
  }
  NamedBarrier& barrier = cta.named[id];
  if (barrier.arrived != 0 && barrier.threads != threads) {
    const Culprit other = culprit_of(m.sites[barrier.site]);
    m.fault(rules::named_barrier_count,
            "named barrier " + std::to_string(id) + " is used with " + std::to_string(threads) +
                " threads, but others wait on it for " + std::to_string(barrier.threads) + " (" +
                other.text() + ")",
            {.other = other});
  }
  barrier.threads = threads;
  note_warp(barrier, id);
  touch_named(cta, id, barrier.generation);
  release_into(m.thread(), barrier.gathered);
  ++m.progress;
  if (++barrier.arrived < threads) {
    return false;
  }
  barrier.arrived = 0;
  ++barrier.generation;
  barrier.warps_before.swap(barrier.warps);
  barrier.warps.clear();
  barrier.last_site = barrier.site;
  const auto news = std::make_shared<Knowledge>(barrier.gathered);
  m.thread().news = news;
  auto waiters = std::move(barrier.waiters);
  barrier.waiters.clear();
  for (Thread* waiter : waiters) {
    waiter->news = news;
    m.wake(*waiter);
  }
  return true;
}

void meet(unsigned id, unsigned threads) {
  Machine& m = machine();
  if (!arrive_named(id, threads)) {
    NamedBarrier& barrier = m.cta().named[id];
    const std::uint64_t generation = barrier.generation;
    barrier.waiters.push_back(m.current);
    m.block({.kind = Wait::Kind::named_barrier, .id = id});
    m.touch(ObjectType::named_barrier, m.cta().linear, number(id, generation), Touch::Kind::wait,
            1);
  }
  m.learn_news();
  m.preempt();
}

}  // namespace

void syncthreads() {
  if (mutated({.instruction = Instruction::syncthreads})) {
    return;
  }
  meet(0, (machine().launch.threads + 31) / 32 * 32);
}

void named_barrier_sync(unsigned id, unsigned threads) {
  if (mutated({.instruction = Instruction::named_barrier_sync, .value = threads, .other = id})) {
    return;
  }
  meet(id, threads);
}

void named_barrier_arrive(unsigned id, unsigned threads) {
  if (mutated({.instruction = Instruction::named_barrier_arrive, .value = threads, .other = id})) {
    return;
  }
  arrive_named(id, threads);
  machine().thread().news = nullptr;  // who only arrives learns nothing
  machine().preempt();
}

void complete_cluster_barrier(Cluster& cluster) {
  // PTX ISA, barrier.cluster: threads that have left are not waited for.
  if (cluster.barrier_arrived == 0 || cluster.barrier_arrived < cluster.running) {
    return;
  }
  Machine& m = machine();
  cluster.barrier_arrived = 0;
  ++cluster.barrier_phase;
  for (const auto& cta : cluster.ctas) {
    for (auto& [address, state] : cta->mbarriers) {
      if (cluster.ctas.size() > 1 &&
          !(state.fence_count != 0 &&
            cluster.barrier_gathered.all[state.initialiser_actor] >= state.fence_count)) {
        m.fault(rules::cluster_init_fence,
                describe_barrier(*cta, address) +
                    " was initialised for use across the cluster without fence_mbarrier_init()",
                {.who = culprit_of(m.sites[state.init_site]),
                 .stage = stage_of_barrier(*cta, address),
                 .cure = "fence_mbarrier_init() by the initialiser, before the cluster meets"});
      }
    }
  }
  cluster.barrier_completed = std::make_shared<Knowledge>(cluster.barrier_gathered);
  auto waiters = std::move(cluster.barrier_waiters);
  cluster.barrier_waiters.clear();
  for (Thread* waiter : waiters) {
    m.wake(*waiter);
  }
}

void cluster_arrive() {
  if (mutated({.instruction = Instruction::cluster_arrive})) {
    return;
  }
  Machine& m = machine();
  Thread& self = m.thread();
  Cluster& cluster = *self.cta->cluster;
  if (self.cluster_arrived) {
    m.fault(rules::cluster_barrier_turns, "cluster_arrive twice without a cluster_wait between");
  }
  self.cluster_arrived = true;
  self.cluster_arrivals = cluster.barrier_phase + 1;
  m.touch(ObjectType::cluster_barrier, cluster.serial, 0, Touch::Kind::arrive,
          cluster.barrier_phase);
  release_into(self, cluster.barrier_gathered);
  ++m.progress;
  ++cluster.barrier_arrived;
  complete_cluster_barrier(cluster);
  m.preempt();
}

void cluster_wait() {
  if (mutated({.instruction = Instruction::cluster_wait})) {
    return;
  }
  Machine& m = machine();
  Thread& self = m.thread();
  Cluster& cluster = *self.cta->cluster;
  if (!self.cluster_arrived) {
    m.fault(rules::cluster_barrier_turns, "cluster_wait without a cluster_arrive before it");
  }
  if (cluster.barrier_phase < self.cluster_arrivals) {
    cluster.barrier_waiters.push_back(&self);
    m.block({.kind = Wait::Kind::cluster_barrier});
  }
  self.cluster_arrived = false;
  m.touch(ObjectType::cluster_barrier, cluster.serial, 0, Touch::Kind::wait, self.cluster_arrivals);
  acquire_from(self, *cluster.barrier_completed);
  m.preempt();
}

}  // namespace warpline::simulator
