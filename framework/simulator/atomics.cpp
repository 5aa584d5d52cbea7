// Atomic accesses to global memory: the one way by which clusters synchronise.
#include <algorithm>
#include <string>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

/// What a location has to tell whoever acquires it: what those knew who released into it.
/// PTX ISA, "Release and Acquire Patterns": a plain store starts anew, a read-modify-write goes on.
void release_into(Thread& thread, AtomicLocation& location, bool goes_on) {
  if (!goes_on) {
    location.released.clear();
  }
  const Knowledge& mine = thread.knowledge;
  location.released[thread.cta->cluster->serial].join({mine.all, mine.fenced_global});
  for (const auto& [cluster, known] : mine.others) {
    location.released[cluster].join(known);
  }
  thread.knowledge.all.raise(thread.actor, thread.knowledge.all[thread.actor] + 1);
}

void acquire_from(Thread& thread, const AtomicLocation& location) {
  for (const auto& [cluster, known] : location.released) {
    if (cluster == thread.cta->cluster->serial) {
      thread.knowledge.all.join(known.all);
      thread.knowledge.fenced_global.join(known.fenced_global);
    } else {
      thread.knowledge.others[cluster].join(known);
    }
  }
}

}  // namespace

void check_atomic_alignment(const void* place, unsigned bytes) {
  if (reinterpret_cast<std::uintptr_t>(place) % bytes != 0) {
    machine().fault(rules::atomic_alignment, "an atomic access of " + std::to_string(bytes) +
                                                 " bytes at an address that is no multiple of it");
  }
}

void atomic_begin(const void* place, unsigned bytes, AtomicAccess access) {
  Machine& m = machine();
  Thread& self = m.thread();
  if (m.options.mutator != nullptr) {
    m.options.mutator->weaken(m, access);
  }
  check_atomic_alignment(place, bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  m.touch(ObjectType::atomic, 0, address, access.write ? Touch::Kind::exclusive : Touch::Kind::wait,
          0);
  AtomicLocation& location = m.atomics[address];
  if (access.acquire) {
    acquire_from(self, location);
  }
  access_global(place, bytes, {&self, Party::atomic, access.write, "an atomic access"});
  if (access.release) {
    release_into(self, location, access.read);
  } else if (access.write && !access.read) {
    location.released.clear();
  }
}

void atomic_end(const void* place, bool written) {
  Machine& m = machine();
  if (written) {
    ++m.progress;
    AtomicLocation& location = m.atomics[reinterpret_cast<std::uintptr_t>(place)];
    const auto waiters = std::move(location.waiters);
    location.waiters.clear();
    for (Thread* waiter : waiters) {
      m.wake(*waiter);
    }
  }
  if (m.options.mutator != nullptr) {
    m.options.mutator->end_atomic(m);
  }
  m.preempt();
}

void await_change(const void* place, std::uint32_t wanted) {
  Machine& m = machine();
  const auto* const flag = static_cast<const std::uint32_t*>(place);
  if (*flag >= wanted) {
    return;  // it has changed since the caller looked
  }
  m.atomics[reinterpret_cast<std::uintptr_t>(place)].waiters.push_back(m.current);
  m.block({.kind = Wait::Kind::flag, .id = wanted, .flag = flag});
}

}  // namespace warpline::simulator
