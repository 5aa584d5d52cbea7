// Policy::timed: whoever is earliest by the virtual clock goes on; and what is recorded on the way.
#include <algorithm>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

/// CUDA C++ Programming Guide, compute capability 9.0.
constexpr std::size_t shared_bytes_per_sm = 233472;
constexpr std::size_t reserved_bytes_per_cta = 1024;
constexpr unsigned threads_per_sm = 2048;
constexpr unsigned ctas_per_sm_at_most = 32;
constexpr unsigned registers_per_sm = 65536;

}  // namespace

std::uint64_t Machine::now() const {
  if (!timed()) {
    return statistics.steps;
  }
  return current != nullptr ? current->time : now_;
}

void Machine::spend(std::uint64_t cycles) {
  // Not while an exception of the kernel unwinds: it is what the simulation ends with.
  if (timed() && cycles != 0 && !thread().fiber->unwinds()) {
    thread().time += cycles;
    thread().fiber->pause();
  }
}

unsigned Machine::ctas_per_multiprocessor() const {
  if (options.ctas_per_multiprocessor != 0) {
    return static_cast<unsigned>(options.ctas_per_multiprocessor);
  }
  const auto by_memory =
      static_cast<unsigned>(shared_bytes_per_sm / (launch.shared_bytes + reserved_bytes_per_cta));
  const unsigned warps = (launch.threads + 31) / 32;
  const unsigned by_threads = std::min(threads_per_sm / (warps * 32), ctas_per_sm_at_most);
  const unsigned by_registers =
      launch.registers != 0
          ? registers_per_sm / (warps * 32 * static_cast<unsigned>(launch.registers))
          : static_cast<unsigned>(launch.min_ctas_per_sm);
  return std::max(1u, std::min({by_memory, by_threads, by_registers}));
}

std::size_t Machine::resident_clusters() {
  if (!timed()) {
    free_slots_.assign(1, 0);
    return static_cast<std::size_t>(options.resident_clusters);
  }
  const unsigned slots = ctas_per_multiprocessor();
  free_slots_.assign(static_cast<std::size_t>(options.multiprocessors), slots);
  const std::size_t ctas = std::size_t{launch.cluster.x} * launch.cluster.y * launch.cluster.z;
  return std::max<std::size_t>(1, free_slots_.size() * slots / ctas);
}

/// Gives each CTA of a cluster the multiprocessor that has most room, and its threads their start.
void Machine::place(Cluster& cluster) {
  for (const auto& cta : cluster.ctas) {
    if (timed()) {
      const auto most = std::max_element(free_slots_.begin(), free_slots_.end());
      cta->sm = static_cast<unsigned>(most - free_slots_.begin());
      *most -= *most == 0 ? 0 : 1;
      for (const auto& thread : cta->threads) {
        thread->time = now_ + options.costs.cta_start;
      }
    }
    if (options.recording != nullptr) {
      options.recording->cta_began(cta->linear, cta->sm,
                                   timed() ? now_ + options.costs.cta_start : now());
    }
  }
}

void Machine::step_by_clock() {
  std::uint64_t earliest = ~std::uint64_t{0};
  std::size_t agent = 0;
  Warp* warp = nullptr;
  // On a tie engines come first: what they complete is then seen by who looks at the same time.
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i]->due < earliest) {
      earliest = copies[i]->due;
      agent = i;
    }
  }
  for (std::size_t i = 0; i < multiplies.size(); ++i) {
    const std::uint64_t due = multiplies[i]->multiplies.front().due;
    if (due < earliest) {
      earliest = due;
      agent = copies.size() + i;
    }
  }
  for (Warp* candidate : ready_) {
    for (const Thread* lane : candidate->lanes) {
      if (lane != nullptr && lane->state == Thread::State::ready && lane->time < earliest) {
        earliest = lane->time;
        warp = candidate;
      }
    }
  }
  now_ = std::max(now_, earliest);
  if (warp != nullptr) {
    run_warp(*warp);
  } else {
    run_agent(agent);
  }
}

void Machine::set_due(CopyTask& task) {
  task.issued = now();
  task.due = task.issued;
  if (!timed()) {
    return;
  }
  if (task.kind == CopyTask::Kind::tensor_store || task.kind == CopyTask::Kind::bulk_store) {
    task.due = clock.store_read(task.source_cta->sm, task.bytes, task.issued);
    return;
  }
  // What is loaded: the first copy of it may come from memory, the next ones from L2.
  std::uint64_t source = reinterpret_cast<std::uintptr_t>(task.global);
  if (task.kind == CopyTask::Kind::tensor_load) {
    source = reinterpret_cast<std::uintptr_t>(task.map.base);
    for (const std::int32_t coordinate : task.coordinates) {
      source = source * 0x9e3779b97f4a7c15ull + static_cast<std::uint32_t>(coordinate);
    }
  }
  task.due = clock.load(task.target_cta->sm, source, task.bytes, task.issued);
}

void Machine::record_copy(const CopyTask& copy) {
  if (options.recording == nullptr) {
    return;
  }
  const bool load = copy.target_cta != nullptr;
  const Cta& cta = load ? *copy.target_cta : *copy.source_cta;
  const int stage = load ? stage_of_barrier(cta, copy.barrier) : -1;
  options.recording->add(
      timeline::Engine::copy, cta.linear, 0,
      {.begin = copy.issued,
       .end = now(),
       .amount = copy.bytes,
       .name = options.recording->name(load ? "load" : "store"),
       .stage = stage < 0 ? timeline::no_stage : static_cast<std::uint16_t>(stage),
       .barrier = static_cast<std::uint16_t>(load ? copy.barrier / 8 : 0),
       .kind = load ? timeline::Kind::copy : timeline::Kind::store});
}

void Machine::record_multiply(const Warpgroup& warpgroup, const Multiply& multiply) {
  if (options.recording == nullptr) {
    return;
  }
  const Cta& cta = *warpgroup.cta;
  const auto b_begin = static_cast<std::uint32_t>(multiply.operands.b_descriptor & 0x3fff) << 4;
  const int stage = stage_of(cta, b_begin);
  options.recording->add(
      timeline::Engine::tensor, cta.linear, warpgroup.first_warp,
      {.begin = timed() ? multiply.begins : now(),
       .end = now(),
       .amount = static_cast<std::uint32_t>(VirtualClock::cycles_of_multiply(
           multiply.operands.columns, multiply.operands.a_registers != nullptr)),
       .name = options.recording->name("multiply"),
       .stage = stage < 0 ? timeline::no_stage : static_cast<std::uint16_t>(stage),
       .kind = timeline::Kind::multiply});
}

void trace_role(const char* name) {
  Machine& m = machine();
  const Thread& self = m.thread();
  if (m.options.recording != nullptr && self.lane == 0) {
    m.options.recording->role(self.cta->linear, self.warp->index, name);
  }
}

void trace_span(timeline::Kind kind, const char* name, int stage, std::uint64_t begin,
                std::uint32_t amount, const void* barrier, bool every_lane) {
  Machine& m = machine();
  TimelineRecording* const recording = m.options.recording;
  if (recording == nullptr) {
    return;
  }
  const Thread& self = m.thread();
  if (every_lane && self.lane != 0) {
    return;
  }
  const Cta& cta = *self.cta;
  std::uint32_t at = 0;
  std::string called = name;
  if (barrier != nullptr) {
    at = cta.memory.offset(barrier);
    if (stage < 0) {
      stage = stage_of_barrier(cta, at);
    }
  }
  recording->add(timeline::Engine::warp, cta.linear, self.warp->index,
                 {.begin = begin,
                  .end = m.now(),
                  .amount = amount,
                  .name = recording->name(called),
                  .stage = stage < 0 ? timeline::no_stage : static_cast<std::uint16_t>(stage),
                  .barrier = static_cast<std::uint16_t>(at / 8),
                  .kind = kind});
}

}  // namespace warpline::simulator
