#include <algorithm>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

constexpr unsigned max_arrivals = (1u << 20) - 1;
constexpr std::int64_t max_transactions = (1 << 20) - 1;

std::uint32_t barrier_offset(void* barrier, const char* operation) {
  Machine& m = machine();
  const SharedMemory& memory = m.cta().memory;
  if (!memory.contains(barrier, 8)) {
    m.fault(FaultKind::out_of_bounds,
            std::string(operation) + " on an address outside the CTA's shared memory");
  }
  const std::uint32_t offset = memory.offset(barrier);
  if (offset % 8 != 0) {
    m.fault(FaultKind::mbarrier_misuse,
            std::string(operation) + " on an mbarrier that is not aligned to 8 bytes");
  }
  return offset;
}

void complete_phase_if_due(Cta& cta, MbarrierState& state) {
  if (state.pending != 0 || state.transactions != 0) {
    return;
  }
  ++state.phase;
  state.gathered.all.raise(state.actor, static_cast<std::uint32_t>(state.phase));
  state.completed = std::make_shared<Knowledge>(state.gathered);
  state.pending = state.expected;
  state.announced = 0;
  state.delivered = 0;
  (void)cta;
  Machine& m = machine();
  ++m.progress;
  auto waiters = std::move(state.waiters);
  state.waiters.clear();
  for (Thread* waiter : waiters) {
    if ((state.phase & 1) != waiter->wait.parity) {
      waiter->try_result = true;
      waiter->news = state.completed;
      state.observed = state.phase;
      m.wake(*waiter);
    } else {
      state.waiters.push_back(waiter);
    }
  }
}

void arrive(Cta& cta, std::uint32_t address, unsigned count, const char* operation) {
  Machine& m = machine();
  if (cta.exited()) {
    m.fault(
        FaultKind::exited_cta,
        std::string(operation) + " on " + describe_barrier(cta, address) + " of CTA " +
            std::to_string(cta.linear) +
            ", which has left: its threads must wait for the last arrival (a producer end drains)");
  }
  MbarrierState& state = checked_mbarrier(cta, address, operation);
  release_into(m.thread(), state.gathered);
  if (count > state.pending) {
    m.fault(FaultKind::mbarrier_misuse,
            std::string(operation) + ": more arrivals on " + describe_barrier(cta, address) +
                " than its phase takes: " + std::to_string(state.expected) + " are expected, " +
                std::to_string(state.expected - state.pending + count) + " came");
  }
  state.pending -= count;
  ++m.progress;
  complete_phase_if_due(cta, state);
}

void expect(Cta& cta, std::uint32_t address, unsigned bytes, const char* operation) {
  MbarrierState& state = checked_mbarrier(cta, address, operation);
  state.transactions += bytes;
  state.announced += bytes;
  if (state.transactions > max_transactions) {
    machine().fault(FaultKind::mbarrier_misuse,
                    std::string(operation) + ": " + describe_barrier(cta, address) +
                        " would wait for " + std::to_string(state.transactions) +
                        " bytes, the most is 2^20 - 1");
  }
}

bool passed(const MbarrierState& state, unsigned parity) { return (state.phase & 1) != parity; }

void check_parity(unsigned parity, const char* operation) {
  if (parity > 1) {
    machine().fault(FaultKind::mbarrier_misuse,
                    std::string(operation) + ": parity is 0 or 1, not " + std::to_string(parity));
  }
}

/// A wait that need not block.
void learn(Thread& thread, MbarrierState& state) {
  if (state.completed == nullptr) {
    return;
  }
  if (state.phase > thread.knowledge.all[state.actor] + std::uint64_t{1}) {
    machine().fault(FaultKind::mbarrier_misuse,
                    "a wait was lapped: " + std::to_string(state.phase) +
                        " phases of the mbarrier have completed, this thread knew of " +
                        std::to_string(thread.knowledge.all[state.actor]) +
                        "; one bit of parity cannot tell which one it waits for");
  }
  state.observed = state.phase;
  acquire_from(thread, *state.completed);
}

}  // namespace

MbarrierState& checked_mbarrier(Cta& cta, std::uint32_t address, const char* operation) {
  const auto found = cta.mbarriers.find(address);
  Machine& m = machine();
  if (found == cta.mbarriers.end()) {
    m.fault(FaultKind::mbarrier_misuse, std::string(operation) + " on " +
                                            describe_barrier(cta, address) +
                                            ", which was never initialised (or was invalidated)");
  }
  MbarrierState& state = found->second;
  // Others may use a barrier only after its initialiser has synchronised with them.
  if (m.current != nullptr && state.initialiser != m.current &&
      m.current->knowledge.all[state.initialiser_actor] < state.init_count) {
    m.fault(FaultKind::mbarrier_misuse,
            std::string(operation) + " on " + describe_barrier(cta, address) +
                " before its initialiser synchronised: __syncthreads() or a cluster barrier is due "
                "between mbarrier_init and the first use by another thread");
  }
  return state;
}

void complete_transactions(Cta& cta, std::uint32_t address, std::uint32_t bytes,
                           Completion& completion) {
  Machine& m = machine();
  const auto found = cta.mbarriers.find(address);
  if (found == cta.mbarriers.end()) {
    m.fault(
        FaultKind::mbarrier_misuse,
        "a copy delivered bytes to " + describe_barrier(cta, address) + ", which is not a barrier");
  }
  MbarrierState& state = found->second;
  completion.actors[0] = state.actor;
  completion.actor_count = 1;
  completion.count = static_cast<std::uint32_t>(state.phase + 1);
  state.transactions -= bytes;
  state.delivered += bytes;
  if (state.transactions < -max_transactions) {
    m.fault(FaultKind::transaction_mismatch,
            describe_barrier(cta, address) + " received " + std::to_string(-state.transactions) +
                " bytes more than were announced, out of the range of its count");
  }
  if (state.pending == 0 && state.transactions < 0) {
    m.fault(FaultKind::transaction_mismatch,
            describe_barrier(cta, address) + ": " + std::to_string(state.announced) +
                " bytes were announced, but " + std::to_string(state.delivered) +
                " were delivered: the phase can never complete");
  }
  complete_phase_if_due(cta, state);
}

void mbarrier_init(void* barrier, unsigned arrivals) {
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_init");
  Cta& cta = m.cta();
  if (arrivals == 0 || arrivals > max_arrivals) {
    m.fault(FaultKind::mbarrier_misuse, "mbarrier_init: " + std::to_string(arrivals) +
                                            " arrivals; a phase takes 1 to 2^20 - 1");
  }
  if (cta.mbarriers.contains(address)) {
    m.fault(FaultKind::mbarrier_misuse, "mbarrier_init on " + describe_barrier(cta, address) +
                                            ", which is in use: invalidate it first");
  }
  MbarrierState state;
  state.expected = arrivals;
  state.pending = arrivals;
  state.initialiser = m.current;
  state.initialiser_actor = m.current->actor;
  state.init_count = m.current->knowledge.all[m.current->actor];
  state.actor = m.cta().cluster->actors++;
  cta.mbarriers.emplace(address, std::move(state));
  cta.memory.chunk_at(address).barrier = true;
  m.preempt();
}

void mbarrier_invalidate(void* barrier) {
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_invalidate");
  const MbarrierState& state = checked_mbarrier(m.cta(), address, "mbarrier_invalidate");
  if (!state.waiters.empty()) {
    m.fault(FaultKind::mbarrier_misuse, "mbarrier_invalidate on " +
                                            describe_barrier(m.cta(), address) +
                                            " while threads wait on it");
  }
  m.cta().mbarriers.erase(address);
  m.cta().mbarrier_names.erase(address);
  bool shared_cell = false;
  for (const std::uint32_t other : {address / 16 * 16, address / 16 * 16 + 8}) {
    shared_cell = shared_cell || m.cta().mbarriers.contains(other);
  }
  m.cta().memory.chunk_at(address).barrier = shared_cell;
}

void mbarrier_arrive(void* barrier, unsigned count) {
  Machine& m = machine();
  arrive(m.cta(), barrier_offset(barrier, "mbarrier_arrive"), count, "mbarrier_arrive");
  m.preempt();
}

void mbarrier_arrive_remote(void* barrier, unsigned cta_rank) {
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_arrive_remote");
  arrive(m.cluster_cta(cta_rank), address, 1, "mbarrier_arrive_remote");
  m.preempt();
}

void mbarrier_arrive_expect_tx(void* barrier, unsigned bytes) {
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_arrive_expect_tx");
  expect(m.cta(), address, bytes, "mbarrier_arrive_expect_tx");
  arrive(m.cta(), address, 1, "mbarrier_arrive_expect_tx");
  m.preempt();
}

void mbarrier_expect_tx(void* barrier, unsigned bytes) {
  Machine& m = machine();
  expect(m.cta(), barrier_offset(barrier, "mbarrier_expect_tx"), bytes, "mbarrier_expect_tx");
  m.preempt();
}

bool mbarrier_test_wait(void* barrier, unsigned parity) {
  Machine& m = machine();
  check_parity(parity, "mbarrier_test_wait");
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_test_wait");
  if (!passed(checked_mbarrier(m.cta(), address, "mbarrier_test_wait"), parity)) {
    m.yield_now();
  }
  MbarrierState& state = checked_mbarrier(m.cta(), address, "mbarrier_test_wait");
  if (!passed(state, parity)) {
    return false;
  }
  learn(m.thread(), state);
  return true;
}

namespace {

void wait_for_phase(std::uint32_t address, unsigned parity, Wait::Kind kind,
                    const char* operation) {
  Machine& m = machine();
  Thread& self = m.thread();
  MbarrierState& state = checked_mbarrier(m.cta(), address, operation);
  check_parity(parity, operation);
  self.try_result = true;
  if (passed(state, parity)) {
    learn(self, state);
  } else {
    state.waiters.push_back(&self);
    m.block({.kind = kind, .address = address, .parity = parity});
  }
}

}  // namespace

bool mbarrier_try_wait(void* barrier, unsigned parity) {
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_try_wait");
  wait_for_phase(address, parity, Wait::Kind::try_mbarrier, "mbarrier_try_wait");
  const bool result = m.thread().try_result;
  m.preempt();
  return result;
}

void mbarrier_wait(void* barrier, unsigned parity) {
  const std::uint32_t address = barrier_offset(barrier, "mbarrier wait");
  wait_for_phase(address, parity, Wait::Kind::mbarrier, "mbarrier wait");
  machine().preempt();
}

void name_mbarrier(void* barrier, const char* name, int stage) {
  const std::uint32_t address = barrier_offset(barrier, "name_mbarrier");
  machine().cta().mbarrier_names[address] = std::string(name) + "[" + std::to_string(stage) + "]";
}

}  // namespace warpline::simulator
