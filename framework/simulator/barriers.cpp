// Named barriers, the cluster's barrier, and what a warp does together.
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

void cluster_arrive() {
  Machine& m = machine();
  Thread& self = m.thread();
  Cluster& cluster = *self.cta->cluster;
  if (self.cluster_arrivals != cluster.barrier_phase) {
    m.fault(FaultKind::named_barrier_misuse, "cluster_arrive twice without a cluster_wait between");
  }
  ++self.cluster_arrivals;
  release_into(self, cluster.barrier_gathered);
  ++m.progress;
  if (++cluster.barrier_arrived < cluster.threads) {
    return;
  }
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

void cluster_wait() {
  Machine& m = machine();
  Thread& self = m.thread();
  Cluster& cluster = *self.cta->cluster;
  if (self.cluster_arrivals == 0) {
    m.fault(FaultKind::named_barrier_misuse, "cluster_wait without a cluster_arrive before it");
  }
  if (cluster.barrier_phase < self.cluster_arrivals) {
    cluster.barrier_waiters.push_back(&self);
    m.block({.kind = Wait::Kind::cluster_barrier});
  }
  acquire_from(self, *cluster.barrier_completed);
  m.preempt();
}

namespace {

/// The 32 lanes meet at `operation`, and each sees what all brought. The result stands until all
/// lanes have come to the next meeting.
const std::array<std::uint32_t, 32>& meet(const char* operation, std::uint32_t value,
                                          bool orders_memory = false) {
  Machine& m = machine();
  Thread& self = m.thread();
  Warp& warp = *self.warp;
  WarpMeeting& meeting = warp.meeting;
  if (meeting.arrived != 0 && std::strcmp(meeting.operation, operation) != 0) {
    m.fault(FaultKind::warp_disagreement,
            "lanes of one warp are at different operations: some at " +
                std::string(meeting.operation) + ", this one at " + operation);
  }
  meeting.operation = operation;
  meeting.values[self.lane] = value;
  if (orders_memory) {
    release_into(self, meeting.gathered);
  }
  ++m.progress;
  if (++meeting.arrived < 32) {
    m.block({.kind = Wait::Kind::warp});
  } else {
    meeting.arrived = 0;
    meeting.results = meeting.values;
    std::shared_ptr<const Knowledge> news;
    if (orders_memory) {
      news = std::make_shared<Knowledge>(meeting.gathered);
      acquire_from(self, *news);
    }
    for (Thread* lane : warp.lanes) {
      if (lane != nullptr && lane != &self) {
        lane->news = news;
        m.wake(*lane);
      }
    }
  }
  return meeting.results;
}

}  // namespace

bool elect_one() {
  Thread& self = machine().thread();
  ++self.elections;
  return self.lane == self.warp->elected_lane;
}

// Of a warp's operations only this one orders memory accesses (PTX ISA, "bar.warp.sync").
void syncwarp() { meet("syncwarp", 0, true); }

std::uint32_t shuffle(std::uint32_t value, std::uint32_t lane) {
  if (lane >= 32) {
    machine().fault(FaultKind::out_of_bounds, "shuffle from lane " + std::to_string(lane));
  }
  return meet("shuffle", value)[lane];
}

void setmaxnreg(int registers, bool increase) {
  Machine& m = machine();
  Thread& self = m.thread();
  Warp& warp = *self.warp;
  Cta& cta = *self.cta;
  if (m.launch.registers == 0) {
    m.fault(FaultKind::register_pool,
            "setmaxnreg in a kernel whose launch registers are not known: set "
            "LaunchConfig::registers");
  }
  if (registers < 24 || registers > 256 || registers % 8 != 0) {
    m.fault(FaultKind::register_pool, "setmaxnreg " + std::to_string(registers) +
                                          ": the count is a multiple of 8 in 24..256");
  }
  // The first lane of the warp to come acts for it; the others follow.
  if (self.setmaxnreg_calls++ < warp.setmaxnreg_calls) {
    while (warp.registers < registers && increase) {
      m.block({.kind = Wait::Kind::registers, .id = static_cast<unsigned>(registers)});
    }
    return;
  }
  ++warp.setmaxnreg_calls;
  if (increase ? registers < warp.registers : registers > warp.registers) {
    m.fault(FaultKind::register_pool, std::string("setmaxnreg.") + (increase ? "inc" : "dec") +
                                          " to " + std::to_string(registers) + " from " +
                                          std::to_string(warp.registers));
  }
  while (registers - warp.registers > cta.register_pool) {
    m.block({.kind = Wait::Kind::registers, .id = static_cast<unsigned>(registers)});
  }
  cta.register_pool -= registers - warp.registers;
  warp.registers = registers;
  ++m.progress;
  for (const auto& thread : cta.threads) {
    if (thread->wait.kind == Wait::Kind::registers) {
      m.wake(*thread);
    }
  }
}

void stmatrix(void* row, const std::uint32_t* fragment, int matrices, bool transposed) {
  // Every lane must hand its row addresses to the others; then each lane writes one row of each
  // matrix' data.
  Machine& m = machine();
  Thread& self = m.thread();
  SharedMemory& memory = self.cta->memory;
  if (!memory.contains(row, 16) || memory.offset(row) % 16 != 0) {
    m.fault(FaultKind::out_of_bounds,
            "stmatrix: a row address is outside shared memory or not on 16 bytes");
  }
  const std::uint32_t offset = memory.offset(row);
  for (int i = 0; i < matrices; ++i) {
    const auto& fragments = meet("stmatrix", fragment[i]);
    // This lane writes row `lane % 8` of the matrix whose rows it addresses.
    if (static_cast<int>(self.lane / 8) == i) {
      std::uint16_t elements[8];
      const unsigned r = self.lane % 8;
      for (unsigned c = 0; c < 8; ++c) {
        const unsigned mr = transposed ? c : r;
        const unsigned mc = transposed ? r : c;
        const std::uint32_t pair = fragments[mr * 4 + mc / 2];
        elements[c] = static_cast<std::uint16_t>(mc % 2 == 0 ? pair & 0xffff : pair >> 16);
      }
      shared_write(row, 16);
      std::memcpy(memory.at(offset), elements, 16);
    }
  }
}

}  // namespace warpline::simulator
