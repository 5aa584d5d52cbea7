// Ordinary accesses to shared memory, and the proxy rules between them and the copy engine and
// tensor cores.
#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

std::uint32_t checked_offset(const void* place, unsigned bytes, const char* operation) {
  Machine& m = machine();
  const SharedMemory& memory = m.cta().memory;
  if (!memory.contains(place, bytes)) {
    m.fault(rules::shared_bounds, std::string(operation) + " of " + std::to_string(bytes) +
                                      " bytes outside the CTA's " + std::to_string(memory.bytes()) +
                                      " bytes of shared memory");
  }
  return memory.offset(place);
}

void check_alignment(const void* place, unsigned bytes, unsigned alignment, const char* operation) {
  const auto behind = reinterpret_cast<std::uintptr_t>(place) % alignment;
  if (behind != 0) {
    machine().fault(rules::access_alignment,
                    std::string(operation) + " of " + std::to_string(bytes) + " bytes begins " +
                        std::to_string(behind) + " bytes behind a multiple of " +
                        std::to_string(alignment));
  }
}

}  // namespace

unsigned thread_index() { return machine().thread().index; }
Index3 block_index() { return machine().cta().index; }
Index3 grid_size() { return machine().launch.grid; }
unsigned cluster_cta_rank() { return machine().cta().rank; }
Index3 cluster_cta_index() {
  const Cta& cta = machine().cta();
  const Index3& shape = machine().launch.cluster;
  return {cta.rank % shape.x, cta.rank / shape.x % shape.y, cta.rank / shape.x / shape.y};
}
std::uint64_t clock_cycles() { return machine().now(); }
void yield() { machine().yield_now(); }
void at_line(const char* file, unsigned line) {
  Thread& self = machine().thread();
  if (self.file != file || self.line != line) {
    self.file = file;
    self.line = line;
    self.site = 0;
  }
}
void name_region(const void* begin, unsigned bytes, const char* name, int index) {
  const std::uint32_t offset = checked_offset(begin, bytes, "name_region");
  machine().cta().regions.push_back(
      {offset, offset + bytes, std::string(name) + "[" + std::to_string(index) + "]", index});
}
void bad_slice(const char* rule) { machine().fault(rules::operand_slice, rule); }
void use_of_closed_slot(int stage) {
  machine().fault(rules::closed_slot,
                  "a slot of stage[" + std::to_string(stage) +
                      "] is used that was already handed on (or that try_acquire did not get)",
                  {.stage = stage, .cure = "take what is needed before the release"});
}
void enter_role(const char* name) {
  machine().thread().role = name;
  machine().thread().site = 0;
}

std::uint32_t shared_address(const void* place) {
  const Cta& cta = machine().cta();
  return checked_offset(place, 1, "shared_address") | cta.rank << SharedMemory::window_bits;
}

void shared_read(const void* place, unsigned bytes, unsigned alignment) {
  check_alignment(place, bytes, alignment, "an ordinary read");
  Machine& m = machine();
  m.thread().mutation.touched |= touches_shared;
  const std::uint32_t begin = checked_offset(place, bytes, "an ordinary read");
  const Attempt attempt{&m.thread(), Party::ordinary, false, "an ordinary read"};
  check_shared(m.cta(), begin, bytes, attempt);
  note_shared(m.cta(), begin, bytes, attempt);
}

void shared_write(void* place, unsigned bytes, unsigned alignment) {
  check_alignment(place, bytes, alignment, "an ordinary write");
  Machine& m = machine();
  m.thread().mutation.touched |= touches_shared;
  const std::uint32_t begin = checked_offset(place, bytes, "an ordinary write");
  const Attempt attempt{&m.thread(), Party::ordinary, true, "an ordinary write"};
  check_shared(m.cta(), begin, bytes, attempt);
  note_shared(m.cta(), begin, bytes, attempt);
}

void global_read(const void* place, unsigned bytes, unsigned alignment) {
  check_alignment(place, bytes, alignment, "an ordinary read");
  machine().thread().mutation.touched |= touches_global;
  access_global(place, bytes, {&machine().thread(), Party::ordinary, false, "an ordinary read"});
}

void global_write(void* place, unsigned bytes, unsigned alignment) {
  check_alignment(place, bytes, alignment, "an ordinary write");
  Machine& m = machine();
  m.thread().mutation.touched |= touches_global;
  access_global(place, bytes, {&m.thread(), Party::ordinary, true, "an ordinary write"});
  if (m.timed()) {
    const std::uint64_t now = m.now();
    m.spend(m.clock.write_through(m.cta().sm, bytes, now) - now + m.options.costs.instruction);
  }
}

void fence_proxy_async(Space space) {
  if (mutated(
          {.instruction = Instruction::fence_proxy_async, .value = static_cast<unsigned>(space)})) {
    return;
  }
  Thread& self = machine().thread();
  Knowledge& knowledge = self.knowledge;
  VectorClock& fenced = space == Space::shared ? knowledge.fenced : knowledge.fenced_global;
  // The thread's own accesses up to here; what it does from now on needs another fence.
  fenced.raise(self.actor, knowledge.all[self.actor]);
  knowledge.all.raise(self.actor, knowledge.all[self.actor] + 1);
}

void fence_mbarrier_init() {
  if (mutated({.instruction = Instruction::fence_mbarrier_init})) {
    return;
  }
  Machine& m = machine();
  for (auto& [address, state] : m.cta().mbarriers) {
    if (state.initialiser == m.current) {
      state.fence_count = m.current->knowledge.all[state.initialiser_actor];
    }
  }
}

}  // namespace warpline::simulator
