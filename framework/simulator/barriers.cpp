// Named barriers, the cluster's barrier.
#include <cstring>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

/// True if this arrival completed the barrier.
bool arrive_named(unsigned id, unsigned threads) {
  Machine& m = machine();
  Cta& cta = m.cta();
  if (id >= cta.named.size()) {
    m.fault(FaultKind::named_barrier_misuse,
            "there is no named barrier " + std::to_string(id) + ": identifiers are 0..15");
  }
  if (threads == 0 || threads % 32 != 0 || threads > 1024) {
    m.fault(FaultKind::named_barrier_misuse, "named barrier " + std::to_string(id) + " for " +
                                                 std::to_string(threads) +
                                                 " threads: the count is a multiple of 32");
  }
  NamedBarrier& barrier = cta.named[id];
  if (barrier.arrived != 0 && barrier.threads != threads) {
    m.fault(FaultKind::named_barrier_misuse,
            "named barrier " + std::to_string(id) + " is used with " + std::to_string(threads) +
                " threads, but others wait on it for " + std::to_string(barrier.threads));
  }
  barrier.threads = threads;
  release_into(m.thread(), barrier.gathered);
  ++m.progress;
  if (++barrier.arrived < threads) {
    return false;
  }
  if (barrier.arrived > threads) {
    m.fault(FaultKind::named_barrier_misuse,
            "too many threads at named barrier " + std::to_string(id));
  }
  barrier.arrived = 0;
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

}  // namespace

void syncthreads() {
  const unsigned threads = (machine().launch.threads + 31) / 32 * 32;
  named_barrier_sync(0, threads);
}

void named_barrier_sync(unsigned id, unsigned threads) {
  Machine& m = machine();
  if (!arrive_named(id, threads)) {
    m.cta().named[id].waiters.push_back(m.current);
    m.block({.kind = Wait::Kind::named_barrier, .id = id});
  }
  m.learn_news();
  m.preempt();
}

void named_barrier_arrive(unsigned id, unsigned threads) {
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
      if (cluster.ctas.size() > 1 && !state.fenced) {
        m.fault(FaultKind::mbarrier_fence_missing,
                describe_barrier(*cta, address) +
                    " was initialised for use across the cluster without fence_mbarrier_init()");
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
  Machine& m = machine();
  Thread& self = m.thread();
  Cluster& cluster = *self.cta->cluster;
  if (self.cluster_arrived) {
    m.fault(FaultKind::named_barrier_misuse, "cluster_arrive twice without a cluster_wait between");
  }
  self.cluster_arrived = true;
  self.cluster_arrivals = cluster.barrier_phase + 1;
  release_into(self, cluster.barrier_gathered);
  ++m.progress;
  ++cluster.barrier_arrived;
  complete_cluster_barrier(cluster);
}

void cluster_wait() {
  Machine& m = machine();
  Thread& self = m.thread();
  Cluster& cluster = *self.cta->cluster;
  if (!self.cluster_arrived) {
    m.fault(FaultKind::named_barrier_misuse, "cluster_wait without a cluster_arrive before it");
  }
  if (cluster.barrier_phase < self.cluster_arrivals) {
    cluster.barrier_waiters.push_back(&self);
    m.block({.kind = Wait::Kind::cluster_barrier});
  }
  self.cluster_arrived = false;
  acquire_from(self, *cluster.barrier_completed);
  m.preempt();
}

}  // namespace warpline::simulator
