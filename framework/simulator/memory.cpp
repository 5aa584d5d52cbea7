// Ordinary accesses to shared memory, and the proxy rules between them and the copy engine and
// tensor cores.
#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

std::uint32_t checked_offset(const void* place, unsigned bytes, const char* operation) {
  Machine& m = machine();
  SharedMemory& memory = m.cta().memory;
  if (!memory.contains(place, bytes)) {
    m.fault(FaultKind::out_of_bounds,
            std::string(operation) + " of " + std::to_string(bytes) + " bytes outside the CTA's " +
                std::to_string(memory.bytes()) + " bytes of shared memory");
  }
  return memory.offset(place);
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
std::uint64_t clock_cycles() { return machine().statistics.steps; }
void yield() { machine().yield_now(); }
void at_line(const char* file, unsigned line) {
  Thread& self = machine().thread();
  self.file = file;
  self.line = line;
}
void enter_role(const char* name) { machine().thread().role = name; }

std::uint32_t shared_address(const void* place) {
  const Cta& cta = machine().cta();
  return checked_offset(place, 1, "shared_address") | cta.rank << SharedMemory::window_bits;
}

void shared_read(const void* place, unsigned bytes) {
  Machine& m = machine();
  const std::uint32_t begin = checked_offset(place, bytes, "an ordinary read");
  m.cta().memory.for_each_cell(begin, bytes, [&](SharedMemory::Cell& cell) {
    if (cell.async_writers != 0) {
      m.fault(FaultKind::copy_race,
              "an ordinary read of shared memory that a copy is still writing: wait for the copy's "
              "barrier first");
    }
    if (!cell.written) {
      m.fault(FaultKind::uninitialised_read,
              "an ordinary read of shared memory that nobody has written (offset " +
                  std::to_string(begin) + ")");
    }
  });
}

void shared_write(void* place, unsigned bytes) {
  Machine& m = machine();
  Thread& self = m.thread();
  const std::uint32_t begin = checked_offset(place, bytes, "an ordinary write");
  m.cta().memory.for_each_cell(begin, bytes, [&](SharedMemory::Cell& cell) {
    if (cell.barrier) {
      m.fault(FaultKind::mbarrier_misuse, "an ordinary write over an mbarrier in use");
    }
    if (cell.async_writers != 0) {
      m.fault(FaultKind::copy_race, "an ordinary write to shared memory that a copy is writing");
    }
    if (cell.async_readers != 0) {
      m.fault(FaultKind::store_race,
              "an ordinary write to shared memory that a store or multiply under way has yet to "
              "read: wait for it "
              "first (wait_until_read, or the multiply's token)");
    }
    cell.written = true;
    cell.writer = self.index + 1;
    cell.writer_fences = self.proxy_fences;
  });
}

void global_read(const void*, unsigned) {}
void global_write(void*, unsigned) {}

void note_synchronisation(Thread& thread) { ++thread.syncs_since_fence; }

void fence_proxy_async(Space space) {
  if (space != Space::shared) {
    return;
  }
  Machine& m = machine();
  ++m.thread().proxy_fences;
  m.thread().syncs_since_fence = 0;
}

void fence_mbarrier_init() {
  Machine& m = machine();
  for (auto& [address, state] : m.cta().mbarriers) {
    if (state.initialiser == m.current) {
      state.fenced = true;
    }
  }
}

void check_proxy(Cta& cta, std::uint32_t begin, std::uint32_t bytes, const char* reader,
                 Thread& issuer) {
  Machine& m = machine();
  cta.memory.for_each_cell(begin, bytes, [&](SharedMemory::Cell& cell) {
    if (!cell.written) {
      m.fault(FaultKind::uninitialised_read,
              std::string(reader) + " reads shared memory that nobody has written");
    }
    if (cell.writer == 0) {
      return;
    }
    const Thread& writer = *cta.threads[cell.writer - 1];
    if (writer.proxy_fences == cell.writer_fences) {
      m.fault(FaultKind::proxy_fence_missing,
              std::string(reader) + " reads shared memory that " + describe(writer) +
                  " wrote by ordinary stores without a proxy fence after them: the writer needs "
                  "fence_proxy_async_shared(), then a synchronisation with the reader");
    }
    if (&writer != &issuer && writer.state != Thread::State::finished &&
        writer.syncs_since_fence == 0 && writer.proxy_fences == cell.writer_fences + 1) {
      m.fault(FaultKind::proxy_fence_missing,
              std::string(reader) + " reads shared memory that " + describe(writer) +
                  " wrote and fenced, but has not synchronised since: the fence counts only with a "
                  "synchronisation "
                  "after it");
    }
  });
}

}  // namespace warpline::simulator
