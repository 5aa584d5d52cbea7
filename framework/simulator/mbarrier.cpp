#include <algorithm>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

void touch(const Cta& cta, std::uint32_t address, Touch::Kind kind, std::uint64_t phase) {
  machine().touch(ObjectType::mbarrier, cta.linear, address, kind, phase);
}

constexpr unsigned max_arrivals = (1u << 20) - 1;
constexpr std::int64_t max_transactions = (1 << 20) - 1;

std::uint32_t barrier_offset(void* barrier, const char* operation) {
  Machine& m = machine();
  const SharedMemory& memory = m.cta().memory;
  if (!memory.contains(barrier, 8)) {
    m.fault(rules::shared_bounds,
            std::string(operation) + " on an address outside the CTA's shared memory");
  }
  const std::uint32_t offset = memory.offset(barrier);
  if (offset % 8 != 0) {
    m.fault(rules::barrier_alignment,
            std::string(operation) + " on an mbarrier that is not aligned to 8 bytes");
  }
  return offset;
}

/// Those of its chunk that a barrier takes.
std::uint16_t chunk_bytes_of(std::uint32_t barrier) {
  return static_cast<std::uint16_t>(0xff << barrier % 16);
}

void complete_phase_if_due(MbarrierState& state) {
  if (state.pending != 0 || state.transactions != 0) {
    return;
  }
  ++state.phase;
  state.gathered.all.raise(state.actor, static_cast<std::uint32_t>(state.phase));
  state.completed = std::make_shared<Knowledge>(state.gathered);
  state.pending = state.expected;
  state.announced = 0;
  state.delivered = 0;
  state.copies.clear();
  state.arrived_before.swap(state.arrived);
  state.arrived.clear();
  Machine& m = machine();
  ++m.progress;
  auto waiters = std::move(state.waiters);
  state.waiters.clear();
  for (Thread* waiter : waiters) {
    if ((state.phase & 1) != waiter->wait.parity) {
      waiter->try_result = true;
      state.observed = state.phase;
      m.wake(*waiter);
    } else {
      state.waiters.push_back(waiter);
    }
  }
}

/// Of each thread the last one is enough: it knows of those before.
void note_remote_arrival(MbarrierState& state) {
  Machine& m = machine();
  const Thread& self = m.thread();
  const RemoteArrival arrival{.actor = self.actor,
                              .count = self.knowledge.all[self.actor],
                              .site = state.last_arrival_site};
  for (RemoteArrival& earlier : state.remote_arrivals) {
    if (earlier.actor == arrival.actor) {
      earlier = arrival;
      return;
    }
  }
  state.remote_arrivals.push_back(arrival);
}

void arrive(Cta& cta, std::uint32_t address, unsigned count, const char* operation) {
  Machine& m = machine();
  if (&cta != &m.cta()) {
    m.touch(ObjectType::cta_lifetime, cta.linear, 0, Touch::Kind::arrive, 0);
  }
  if (cta.exited()) {
    m.fault(rules::access_after_exit,
            std::string(operation) + " on " + describe_barrier(cta, address) + " of CTA " +
                std::to_string(cta.linear) + ", which has left without waiting for it",
            {.stage = stage_of_barrier(cta, address),
             .cure = "who is arrived at leaves last: a producer's end drains"});
  }
  MbarrierState& state = checked_mbarrier(cta, address, operation);
  touch(cta, address, Touch::Kind::arrive, state.phase);
  state.last_arrival_site = m.site_of(m.thread());
  if (&cta != &m.cta()) {
    note_remote_arrival(state);
  }
  release_into(m.thread(), state.gathered);
  if (count > state.pending) {
    m.fault(rules::too_many_arrivals,
            std::string(operation) + ": more arrivals on " + describe_barrier(cta, address) +
                " than its phase takes: " + std::to_string(state.expected) + " are expected, " +
                std::to_string(state.expected - state.pending + count) + " came",
            {.stage = stage_of_barrier(cta, address),
             .cure = "each who is counted arrives once; init with the number that arrive"});
  }
  state.pending -= count;
  state.arrived.insert(state.arrived.end(), count, m.thread().warp);
  ++m.progress;
  complete_phase_if_due(state);
}

void expect(Cta& cta, std::uint32_t address, unsigned bytes, const char* operation) {
  MbarrierState& state = checked_mbarrier(cta, address, operation);
  touch(cta, address, Touch::Kind::arrive, state.phase);
  state.transactions += bytes;
  state.announced += bytes;
  state.announcement_site = machine().site_of(machine().thread());
  if (state.transactions > max_transactions) {
    machine().fault(rules::transaction_range,
                    std::string(operation) + ": " + describe_barrier(cta, address) +
                        " would wait for " + std::to_string(state.transactions) +
                        " bytes, the most is 2^20 - 1",
                    {.stage = stage_of_barrier(cta, address)});
  }
}

bool passed(const MbarrierState& state, unsigned parity) { return (state.phase & 1) != parity; }

void check_parity(std::uint32_t address, unsigned parity, const char* operation) {
  if (parity > 1) {
    Machine& m = machine();
    m.fault(rules::parity_range,
            std::string(operation) + " on " + describe_barrier(m.cta(), address) +
                ": parity is 0 or 1, not " + std::to_string(parity),
            {.stage = stage_of_barrier(m.cta(), address),
             .cure = "it flips (parity ^= 1) each time round the ring"});
  }
}

/// A wait is over: the thread learns what the phase's arrivals knew.
void learn(Thread& thread, MbarrierState& state, std::uint32_t address) {
  if (state.completed == nullptr) {
    return;
  }
  if (state.phase > thread.knowledge.all[state.actor] + std::uint64_t{1}) {
    machine().fault(rules::lapped_wait,
                    "a wait for " + describe_barrier(*thread.cta, address) +
                        " was lapped: " + std::to_string(state.phase) +
                        " of its phases have completed, this thread "
                        "knew of " +
                        std::to_string(thread.knowledge.all[state.actor]) +
                        "; one bit of parity cannot tell which one it waits for",
                    {.stage = stage_of_barrier(*thread.cta, address)});
  }
  state.observed = state.phase;
  acquire_from(thread, *state.completed);
}

}  // namespace

MbarrierState& checked_mbarrier(Cta& cta, std::uint32_t address, const char* operation) {
  const auto found = cta.mbarriers.find(address);
  Machine& m = machine();
  if (found == cta.mbarriers.end()) {
    const auto ended = cta.invalidated.find(address);
    if (ended != cta.invalidated.end() && m.current != nullptr &&
        m.current->knowledge.all[ended->second.actor] < ended->second.count) {
      m.fault(rules::barrier_invalidated_in_use,
              "mbarrier_invalidate on " + describe_barrier(cta, address) +
                  ", and nothing orders a later " + operation + " by " +
                  culprit_of(*m.current).text() + " before it",
              {.who = culprit_of(m.sites[ended->second.site]),
               .other = culprit_of(*m.current),
               .stage = stage_of_barrier(cta, address),
               .cure = "all who use the barrier are done, and have synchronised, before it ends"});
    }
    m.fault(rules::barrier_not_initialised,
            std::string(operation) + " on " + describe_barrier(cta, address) +
                ", which was never initialised (or was invalidated)",
            {.stage = stage_of_barrier(cta, address),
             .cure = "mbarrier_init, then a synchronisation, comes before the first use"});
  }
  MbarrierState& state = found->second;
  // Others may use a barrier only after its initialiser has synchronised with them.
  if (m.current != nullptr && state.initialiser != m.current &&
      m.current->knowledge.all[state.initialiser_actor] < state.init_count) {
    m.fault(rules::barrier_init_race,
            std::string(operation) + " on " + describe_barrier(cta, address) +
                " before its initialiser synchronised",
            {.other = culprit_of(m.sites[state.init_site]),
             .stage = stage_of_barrier(cta, address),
             .cure = "__syncthreads() or a cluster barrier is due between mbarrier_init and the "
                     "first use by another thread"});
  }
  return state;
}

std::optional<Culprit> announcer(const MbarrierState& state) {
  return state.announcement_site == 0
             ? std::nullopt
             : std::optional(culprit_of(machine().sites[state.announcement_site]));
}

void complete_transactions(Cta& cta, const CopyTask& copy) {
  Machine& m = machine();
  const auto found = cta.mbarriers.find(copy.barrier);
  if (found == cta.mbarriers.end()) {
    m.fault(rules::copy_without_barrier,
            "a copy delivered bytes to " + describe_barrier(cta, copy.barrier) +
                ", which is not a barrier",
            {.who = culprit_of(m.sites[copy.site]), .stage = stage_of_barrier(cta, copy.barrier)});
  }
  MbarrierState& state = found->second;
  touch(cta, copy.barrier, Touch::Kind::arrive, state.phase);
  copy.completion->actors[0] = state.actor;
  copy.completion->actor_count = 1;
  copy.completion->count = static_cast<std::uint32_t>(state.phase + 1);
  if (copy.carried != nullptr) {
    state.gathered.join(*copy.carried);
  }
  state.transactions -= copy.bytes;
  state.delivered += copy.bytes;
  state.copies.push_back({copy.bytes, copy.site});
  if (state.pending == 0 && state.transactions < 0) {
    m.fault(rules::bytes_not_announced,
            describe_barrier(cta, copy.barrier) + ": " + std::to_string(state.announced) +
                " bytes were announced, but " + std::to_string(state.delivered) +
                " were delivered" + describe_copies(state) + ": the phase can never complete",
            {.who = culprit_of(m.sites[copy.site]),
             .other = announcer(state),
             .stage = stage_of_barrier(cta, copy.barrier),
             .cure = "announce what is loaded"});
  }
  complete_phase_if_due(state);
}

void mbarrier_init(void* barrier, unsigned arrivals) {
  if (mutated({.instruction = Instruction::mbarrier_init, .barrier = barrier, .value = arrivals})) {
    return;
  }
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_init");
  Cta& cta = m.cta();
  if (arrivals == 0 || arrivals > max_arrivals) {
    m.fault(rules::barrier_count_range, "mbarrier_init: " + std::to_string(arrivals) +
                                            " arrivals; a phase takes 1 to 2^20 - 1");
  }
  if (cta.mbarriers.contains(address)) {
    m.fault(rules::barrier_initialised_twice,
            "mbarrier_init on " + describe_barrier(cta, address) + ", which is in use",
            {.other = culprit_of(m.sites[cta.mbarriers.at(address).init_site]),
             .stage = stage_of_barrier(cta, address),
             .cure = "initialise once, or mbarrier_invalidate it before"});
  }
  MbarrierState state;
  state.expected = arrivals;
  state.pending = arrivals;
  state.initialiser = m.current;
  state.initialiser_actor = m.current->actor;
  state.init_count = m.current->knowledge.all[m.current->actor];
  state.init_site = m.site_of(*m.current);
  cta.invalidated.erase(address);
  state.actor = m.cta().cluster->actors++;
  touch(cta, address, Touch::Kind::exclusive, 0);
  cta.mbarriers.emplace(address, std::move(state));
  cta.memory.chunk_at(address).barriers |= chunk_bytes_of(address);
  m.preempt();
}

void mbarrier_invalidate(void* barrier) {
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_invalidate");
  const MbarrierState& state = checked_mbarrier(m.cta(), address, "mbarrier_invalidate");
  if (!state.waiters.empty()) {
    m.fault(rules::barrier_invalidated_in_use,
            "mbarrier_invalidate on " + describe_barrier(m.cta(), address) +
                " while threads wait on it",
            {.other = culprit_of(*state.waiters.front()),
             .stage = stage_of_barrier(m.cta(), address),
             .cure = "all who use the barrier are done, and have synchronised, before it ends"});
  }
  for (const AgentAccess& access : m.cta().agent_accesses) {
    if (access.kind == AgentAccess::Kind::load && access.barrier == address &&
        !access.completion->known_to(m.thread().knowledge.all, false)) {
      m.fault(rules::copy_without_barrier,
              "mbarrier_invalidate on " + describe_barrier(m.cta(), address) +
                  ", and nothing says that a copy which counts its bytes there is complete",
              {.other = culprit_of(m.sites[access.site]),
               .stage = stage_of_barrier(m.cta(), address),
               .cure = "wait for the barrier's phase before its end"});
    }
  }
  Thread& self = m.thread();
  m.cta().invalidated[address] = {
      .actor = self.actor, .count = self.knowledge.all[self.actor], .site = m.site_of(self)};
  self.knowledge.all.raise(self.actor, self.knowledge.all[self.actor] + 1);
  touch(m.cta(), address, Touch::Kind::exclusive, 0);
  m.cta().mbarriers.erase(address);
  m.cta().memory.chunk_at(address).barriers &= static_cast<std::uint16_t>(~chunk_bytes_of(address));
}

void mbarrier_arrive(void* barrier, unsigned count) {
  if (mutated({.instruction = Instruction::mbarrier_arrive, .barrier = barrier, .value = count})) {
    return;
  }
  Machine& m = machine();
  arrive(m.cta(), barrier_offset(barrier, "mbarrier_arrive"), count, "mbarrier_arrive");
  m.preempt();
}

void mbarrier_arrive_remote(void* barrier, unsigned cta_rank) {
  if (mutated({.instruction = Instruction::mbarrier_arrive_remote,
               .barrier = barrier,
               .other = cta_rank})) {
    return;
  }
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_arrive_remote");
  Cta& target = m.cluster_cta(cta_rank);
  if (m.options.strict && &target != &m.cta()) {
    m.fault(rules::remote_arrival_scope,
            "mbarrier_arrive_remote on " + describe_barrier(target, address) + " of CTA " +
                std::to_string(target.linear) + " has the scope of its own CTA",
            {.stage = stage_of_barrier(target, address),
             .cure = "vendor libraries rely on it for stages that were only read by wgmma; "
                     ".release.cluster would be the letter"});
  }
  arrive(target, address, 1, "mbarrier_arrive_remote");
  m.preempt();
}

void mbarrier_arrive_expect_tx(void* barrier, unsigned bytes) {
  if (mutated({.instruction = Instruction::mbarrier_arrive_expect_tx,
               .barrier = barrier,
               .value = bytes})) {
    return;
  }
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_arrive_expect_tx");
  expect(m.cta(), address, bytes, "mbarrier_arrive_expect_tx");
  arrive(m.cta(), address, 1, "mbarrier_arrive_expect_tx");
  m.preempt();
}

void mbarrier_expect_tx(void* barrier, unsigned bytes) {
  if (mutated(
          {.instruction = Instruction::mbarrier_expect_tx, .barrier = barrier, .value = bytes})) {
    return;
  }
  Machine& m = machine();
  expect(m.cta(), barrier_offset(barrier, "mbarrier_expect_tx"), bytes, "mbarrier_expect_tx");
  m.preempt();
}

bool mbarrier_test_wait(void* barrier, unsigned parity) {
  if (const auto instead = mutated(
          {.instruction = Instruction::mbarrier_test_wait, .barrier = barrier, .value = parity})) {
    return *instead;
  }
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_test_wait");
  check_parity(address, parity, "mbarrier_test_wait");
  if (!passed(checked_mbarrier(m.cta(), address, "mbarrier_test_wait"), parity)) {
    m.yield_now();
  }
  MbarrierState& state = checked_mbarrier(m.cta(), address, "mbarrier_test_wait");
  touch(m.cta(), address, Touch::Kind::exclusive, 0);
  if (!passed(state, parity)) {
    return false;
  }
  learn(m.thread(), state, address);
  return true;
}

namespace {

void wait_for_phase(std::uint32_t address, unsigned parity, Wait::Kind kind,
                    const char* operation) {
  Machine& m = machine();
  Thread& self = m.thread();
  MbarrierState& state = checked_mbarrier(m.cta(), address, operation);
  check_parity(address, parity, operation);
  self.try_result = true;
  if (!passed(state, parity)) {
    state.waiters.push_back(&self);
    m.block({.kind = kind, .address = address, .parity = parity});
    if (!self.try_result) {
      return;
    }
  }
  // Woken late, a thread may have missed a phase, as a thread that polls would have.
  MbarrierState& now = checked_mbarrier(m.cta(), address, operation);
  touch(m.cta(), address, Touch::Kind::wait, now.phase);
  learn(self, now, address);
}

}  // namespace

bool mbarrier_try_wait(void* barrier, unsigned parity) {
  if (const auto instead = mutated(
          {.instruction = Instruction::mbarrier_try_wait, .barrier = barrier, .value = parity})) {
    return *instead;
  }
  Machine& m = machine();
  const std::uint32_t address = barrier_offset(barrier, "mbarrier_try_wait");
  wait_for_phase(address, parity, Wait::Kind::try_mbarrier, "mbarrier_try_wait");
  const bool result = m.thread().try_result;
  m.preempt();
  return result;
}

void mbarrier_wait(void* barrier, unsigned parity) {
  if (mutated({.instruction = Instruction::mbarrier_wait, .barrier = barrier, .value = parity})) {
    return;
  }
  const std::uint32_t address = barrier_offset(barrier, "mbarrier wait");
  wait_for_phase(address, parity, Wait::Kind::mbarrier, "mbarrier wait");
  machine().preempt();
}

void name_mbarrier(void* barrier, const char* name, int stage) {
  const std::uint32_t address = barrier_offset(barrier, "name_mbarrier");
  machine().cta().mbarrier_names[address] = {std::string(name) + "[" + std::to_string(stage) + "]",
                                             stage};
}

}  // namespace warpline::simulator
