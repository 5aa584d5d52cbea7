// The tensor cores: a queue of multiplies for each warpgroup, carried out in order and as late as
// the schedule likes.
#include "simulator/tensor_cores.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simulator/machine.h"
#include "simulator/number_formats.h"

namespace warpline::simulator {

namespace {

constexpr int rows = 64;
constexpr int depth = 16;

/// What a thread's accumulator registers hold while they belong to the tensor cores: a NaN that no
/// sum gives. A signalling one: arithmetic on it (a scaled accumulator, say) changes its bits,
/// where a quiet one would come back as it was.
constexpr std::uint32_t poison = 0x7fa0dead;

std::uint32_t start_of(std::uint64_t descriptor) {
  return static_cast<std::uint32_t>(descriptor & 0x3fff) << 4;
}

unsigned span_of(std::uint64_t descriptor) {
  constexpr unsigned spans[] = {16, 128, 64, 32};
  return spans[descriptor >> 62];
}

/// Calls visit(mn, k, offset) for each 16-byte chunk of an operand; the chunk holds 8 elements
/// along the contiguous dimension. The address arithmetic is that of the PTX ISA's "Matrix
/// Descriptor Format" and "Strides".
template <class Visit>
void for_each_chunk(std::uint64_t descriptor, int mn_extent, bool mn_major, Visit visit) {
  const auto field = [&](int bit) {
    return static_cast<std::uint32_t>(descriptor >> bit & 0x3fff) << 4;
  };
  const std::uint32_t start = start_of(descriptor);
  const std::uint32_t leading = field(16);
  const std::uint32_t stride = field(32);
  const unsigned span = span_of(descriptor);
  const auto at = [&](std::uint32_t linear) {
    return swizzle_address((start + linear) & 0x3ffff, span);
  };
  if (!mn_major) {
    for (int mn = 0; mn < mn_extent; ++mn) {
      for (int k = 0; k < depth; k += 8) {
        const std::uint32_t row =
            static_cast<std::uint32_t>(mn / 8) * stride + static_cast<std::uint32_t>(mn % 8) * span;
        const std::uint32_t column =
            static_cast<std::uint32_t>(k / 8) * (span == 16 ? leading : 16);
        visit(mn, k, at(row + column));
      }
    }
    return;
  }
  for (int k = 0; k < depth; ++k) {
    for (int mn = 0; mn < mn_extent; mn += 8) {
      const auto byte = static_cast<std::uint32_t>(mn * 2);
      const std::uint32_t group =
          static_cast<std::uint32_t>(k / 8) * (span == 16 ? leading : stride);
      const std::uint32_t row = static_cast<std::uint32_t>(k % 8) * span;
      const std::uint32_t column = byte / span * (span == 16 ? stride : leading) + byte % span;
      visit(mn, k, at(group + row + column));
    }
  }
}

template <class Visit>
void for_each_operand_chunk(const Wgmma& operands, Visit visit) {
  if (operands.a_registers == nullptr) {
    for_each_chunk(operands.a_descriptor, rows, operands.a_mn_major, visit);
  }
  for_each_chunk(operands.b_descriptor, operands.columns, operands.b_mn_major, visit);
}

/// Whether this thread's warp reads that piece of A: each warp multiplies 16 of the 64 rows.
bool reads_piece(unsigned warp_in_group, int mn) {
  return static_cast<unsigned>(mn) / 16 == warp_in_group;
}

/// One warp of the four has issued it: what it reads must be there, and known to it.
void check_operands(Thread& thread, const Multiply& multiply) {
  Machine& m = machine();
  Cta& cta = *thread.cta;
  const Wgmma& operands = multiply.operands;
  const Attempt attempt{&thread, Party::multiply, false, "wgmma"};
  const auto check = [&](std::uint64_t descriptor, std::uint32_t offset) {
    const Region* region = region_of(cta, start_of(descriptor));
    if (region != nullptr && (offset < region->begin || offset >= region->end)) {
      m.fault(rules::operand_outside_stage,
              "an operand of wgmma that starts in " + region->name + " reads " +
                  describe_place(cta, offset) + ": its descriptor's offsets leave the stage",
              {.stage = region->stage});
    }
    if (!cta.memory.contains(offset, 16)) {
      m.fault(rules::shared_bounds,
              "wgmma reads beyond the CTA's shared memory (offset " + std::to_string(offset) + ")");
    }
    check_shared(cta, offset, 16, attempt);
    const unsigned written_span = cta.memory.chunk_at(offset).swizzle_span;
    if (written_span != 0 && written_span != span_of(descriptor)) {
      m.fault(rules::operand_swizzle,
              "wgmma reads " + describe_place(cta, offset) + " with a swizzle of " +
                  std::to_string(span_of(descriptor)) + " bytes, but it was loaded with one of " +
                  std::to_string(written_span) + " (16: none)",
              {.other = culprit_of(m.sites[cta.memory.chunk_at(offset).writes.front().site]),
               .stage = stage_of(cta, offset),
               .cure = "load and multiply tiles of one type"});
    }
  };
  if (operands.a_registers == nullptr) {
    for_each_chunk(operands.a_descriptor, rows, operands.a_mn_major,
                   [&](int mn, int, std::uint32_t offset) {
                     if (reads_piece(thread.warp->index % 4, mn)) {
                       check(operands.a_descriptor, offset);
                     }
                   });
  }
  for_each_chunk(operands.b_descriptor, operands.columns, operands.b_mn_major,
                 [&](int, int, std::uint32_t offset) { check(operands.b_descriptor, offset); });
}

/// All 128 threads have issued it: from now on it may read its operands.
void enqueue(Warpgroup& warpgroup, Multiply& multiply, std::uint64_t index) {
  Machine& m = machine();
  Cta& cta = *warpgroup.cta;
  Completion& completion = m.completions.emplace_back();
  completion.count = static_cast<std::uint32_t>(index + 1);
  completion.actor_count = 4;
  for (unsigned w = 0; w < 4; ++w) {
    completion.actors[w] = cta.warps[warpgroup.first_warp + w]->multiply_actor;
  }
  cta.agent_accesses.push_back({.kind = AgentAccess::Kind::multiply,
                                .completion = &completion,
                                .site = multiply.site,
                                .issuer_cta = cta.linear,
                                .barrier = 0});
  const Attempt attempt{&m.thread(), Party::multiply, false, "wgmma", &completion};
  for_each_operand_chunk(multiply.operands, [&](int, int, std::uint32_t offset) {
    note_shared(cta, offset, 16, attempt);
  });
  if (m.timed()) {
    multiply.begins =
        m.clock.multiply(cta.sm, multiply.operands.columns,
                         multiply.operands.a_registers != nullptr, m.now(), multiply.due);
  }
  if (warpgroup.queued++ == warpgroup.done) {
    m.multiplies.push_back(&warpgroup);
  }
  ++m.progress;
}

void decode(const Cta& cta, std::uint32_t offset, bool bf16, float (&out)[8]) {
  std::uint16_t bits[8];
  std::memcpy(bits, cta.memory.at(offset), 16);
  for (int i = 0; i < 8; ++i) {
    out[i] = bf16 ? bf16_to_float(bits[i]) : fp16_to_float(bits[i]);
  }
}

/// A as [m][k].
void fetch_a(const Cta& cta, const Multiply& multiply, float (&a)[rows][depth]) {
  const Wgmma& operands = multiply.operands;
  if (operands.a_registers == nullptr) {
    for_each_chunk(operands.a_descriptor, rows, operands.a_mn_major,
                   [&](int mn, int k, std::uint32_t offset) {
                     float values[8];
                     decode(cta, offset, operands.bf16, values);
                     for (int i = 0; i < 8; ++i) {
                       (operands.a_mn_major ? a[mn + i][k] : a[mn][k + i]) = values[i];
                     }
                   });
  } else {
    for (int t = 0; t < 128; ++t) {
      for (int r = 0; r < 4; ++r) {
        const std::uint32_t pair =
            multiply.a_at_issue[static_cast<std::size_t>(t)][static_cast<std::size_t>(r)];
        const int row = t / 32 * 16 + t % 32 / 4 + r % 2 * 8;
        const int k = t % 4 * 2 + r / 2 * 8;
        for (int c = 0; c < 2; ++c) {
          const auto bits = static_cast<std::uint16_t>(pair >> (16 * c));
          a[row][k + c] = operands.bf16 ? bf16_to_float(bits) : fp16_to_float(bits);
        }
      }
    }
  }
  if (operands.negate_a != operands.negate_b) {
    for (auto& row : a) {
      for (float& value : row) {
        value = -value;
      }
    }
  }
}

/// B as [k][n].
void fetch_b(const Cta& cta, const Wgmma& operands, float (&b)[depth][256]) {
  for_each_chunk(operands.b_descriptor, operands.columns, operands.b_mn_major,
                 [&](int mn, int k, std::uint32_t offset) {
                   float values[8];
                   decode(cta, offset, operands.bf16, values);
                   for (int i = 0; i < 8; ++i) {
                     (operands.b_mn_major ? b[k][mn + i] : b[k + i][mn]) = values[i];
                   }
                 });
}

}  // namespace

void advance_multiply(Warpgroup& warpgroup) {
  Multiply& multiply = warpgroup.multiplies.front();
  const Wgmma& operands = multiply.operands;
  Cta& cta = *warpgroup.cta;
  static thread_local float a[rows][depth];
  static thread_local float b[depth][256];
  static thread_local float product[rows][256];
  fetch_a(cta, multiply, a);
  fetch_b(cta, operands, b);
  const int columns = operands.columns;
  for (int m = 0; m < rows; ++m) {
    std::fill_n(product[m], columns, 0.0f);
    for (int k = 0; k < depth; ++k) {
      const float factor = a[m][k];
      for (int n = 0; n < columns; ++n) {
        product[m][n] += factor * b[k][n];
      }
    }
  }
  for (int t = 0; t < 128; ++t) {
    auto& values = multiply.accumulators[static_cast<std::size_t>(t)]->values;
    for (int i = 0; i < columns / 2; ++i) {
      const int m = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
      const int n = i / 4 * 8 + t % 4 * 2 + i % 2;
      float& value = values[static_cast<std::size_t>(i)];
      value = (operands.accumulate ? value : 0.0f) + product[m][n];
    }
  }
  machine().touch(ObjectType::wgmma_issue, warpgroup.process, warpgroup.done, Touch::Kind::wait, 1);
  machine().touch(ObjectType::wgmma_done, warpgroup.process, warpgroup.done, Touch::Kind::arrive,
                  0);
  machine().touch(ObjectType::cta_lifetime, cta.linear, 0, Touch::Kind::arrive, 0);
  machine().record_multiply(warpgroup, multiply);
  warpgroup.multiplies.pop_front();
  ++warpgroup.done;
  for (unsigned w = 0; w < 4; ++w) {
    for (Thread* lane : cta.warps[warpgroup.first_warp + w]->lanes) {
      if (lane->wait.kind == Wait::Kind::wgmma && lane->wait.target <= warpgroup.done) {
        machine().wake(*lane);
      }
    }
  }
}

namespace {

InFlightAccumulator& take_accumulator(Thread& self, const Wgmma& operands) {
  Machine& m = machine();
  const auto count = static_cast<std::size_t>(operands.columns / 2);
  for (auto& in_flight : self.wgmma.in_flight) {
    if (in_flight->registers == operands.accumulators) {
      if (in_flight->values.size() != count) {
        m.fault(rules::accumulator_shape,
                "wgmma of another shape on an accumulator that is still in flight",
                {.other = culprit_of(m.sites[in_flight->site]), .cure = "wait between the two"});
      }
      return *in_flight;
    }
  }
  if (!self.wgmma.fenced) {
    m.fault(rules::wgmma_fence_missing,
            "wgmma without wgmma_fence() since its accumulator's registers were last accessible",
            {.cure = "wgmma_fence() before the first wgmma on them"});
  }
  auto fresh = std::make_unique<InFlightAccumulator>();
  fresh->registers = operands.accumulators;
  fresh->values.assign(count, std::bit_cast<float>(poison));
  if (operands.accumulate) {
    std::memcpy(fresh->values.data(), operands.accumulators, count * sizeof(float));
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&operands.accumulators[i], &poison, sizeof poison);
  }
  self.wgmma.in_flight.push_back(std::move(fresh));
  return *self.wgmma.in_flight.back();
}

bool agree(const Wgmma& a, const Wgmma& b) {
  return a.a_descriptor == b.a_descriptor && a.b_descriptor == b.b_descriptor &&
         a.columns == b.columns && a.bf16 == b.bf16 && a.a_mn_major == b.a_mn_major &&
         a.b_mn_major == b.b_mn_major && a.negate_a == b.negate_a && a.negate_b == b.negate_b &&
         a.accumulate == b.accumulate && (a.a_registers == nullptr) == (b.a_registers == nullptr);
}

Warpgroup& warpgroup_of(Thread& self, const char* operation) {
  Warpgroup& warpgroup = *self.cta->warpgroups[self.warp->index / 4];
  if (!warpgroup.complete) {
    machine().fault(rules::warpgroup_alignment,
                    std::string(operation) + " by warp " + std::to_string(self.warp->index) +
                        ", which is not part of four warps that start at a multiple of 4");
  }
  return warpgroup;
}

}  // namespace

void wgmma(const Wgmma& operands) {
  Machine& m = machine();
  Thread& self = m.thread();
  Warpgroup& warpgroup = warpgroup_of(self, "wgmma");
  // Threads arrive at the warpgroup's multiplies one by one; the n-th of each thread is the same
  // instruction.
  const std::uint64_t index = self.wgmma.issued++;
  self.mutation.touched |= issues_multiply;
  const std::uint64_t position = index - warpgroup.done;
  if (position == warpgroup.multiplies.size()) {
    Multiply fresh;
    fresh.operands = operands;
    fresh.first = &self;
    fresh.site = m.site_of(self);
    warpgroup.multiplies.push_back(fresh);
    if (m.options.mutator != nullptr) {
      m.options.mutator->note_engine(*self.cta);
    }
  }
  Multiply& multiply = warpgroup.multiplies[position];
  if (!agree(multiply.operands, operands)) {
    const Culprit other = culprit_of(m.sites[multiply.site]);
    m.fault(rules::warpgroup_disagrees,
            "threads of one warpgroup issue different wgmma: this one and " + other.text() +
                " disagree on descriptors, shape or options",
            {.other = other});
  }
  const std::size_t rank = self.index % 128;
  InFlightAccumulator& accumulator = take_accumulator(self, operands);
  accumulator.last_multiply = index + 1;
  accumulator.site = m.site_of(self);
  multiply.accumulators[rank] = &accumulator;
  if (operands.a_registers != nullptr) {
    std::copy_n(operands.a_registers, 4, multiply.a_at_issue[rank].begin());
    self.wgmma.operands.push_back({.registers = operands.a_registers,
                                   .values = multiply.a_at_issue[rank],
                                   .multiply = index + 1,
                                   .site = m.site_of(self)});
  }
  // One lane of each warp checks for it, a different one each time: lanes that did not wait for the
  // data themselves, and were not synchronised with one that did, are found.
  if (self.lane == index * 11 % 32) {
    check_operands(self, multiply);
  }
  m.touch(ObjectType::wgmma_issue, warpgroup.process, index, Touch::Kind::arrive, 0);
  if (++multiply.arrived == 128) {
    enqueue(warpgroup, multiply, index);
  }
}

void accumulator_read(const float* place) {
  Machine& m = machine();
  for (const auto& accumulator : m.thread().wgmma.in_flight) {
    if (place >= accumulator->registers &&
        place < accumulator->registers + accumulator->values.size()) {
      m.fault(rules::accumulator_in_flight,
              "an accumulator register is read between a wgmma that uses it and the wait that "
              "covers it",
              {.other = culprit_of(m.sites[accumulator->site]),
               .cure = "wait for the multiply's token first"});
    }
  }
}

void wgmma_fence() {
  if (mutated({.instruction = Instruction::wgmma_fence})) {
    return;
  }
  Thread& self = machine().thread();
  warpgroup_of(self, "wgmma_fence");
  self.wgmma.fenced = true;
}

void wgmma_commit_group() {
  if (mutated({.instruction = Instruction::wgmma_commit_group})) {
    return;
  }
  Machine& m = machine();
  Thread& self = m.thread();
  warpgroup_of(self, "wgmma_commit_group");
  self.wgmma.groups.push_back(self.wgmma.issued);
  m.preempt();
}

void wgmma_wait_group(unsigned pending) {
  if (mutated({.instruction = Instruction::wgmma_wait_group, .value = pending})) {
    return;
  }
  Machine& m = machine();
  Thread& self = m.thread();
  const Warpgroup& warpgroup = warpgroup_of(self, "wgmma_wait_group");
  WgmmaThread& state = self.wgmma;
  if (state.groups.size() <= pending) {
    return;
  }
  const std::uint64_t target = state.groups[state.groups.size() - 1 - pending];
  if (warpgroup.done < target) {
    m.block({.kind = Wait::Kind::wgmma, .target = target});
  }
  if (target != 0) {
    m.touch(ObjectType::wgmma_done, warpgroup.process, target - 1, Touch::Kind::wait, 1);
  }
  self.knowledge.all.raise(self.warp->multiply_actor, static_cast<std::uint32_t>(target));
  std::erase_if(state.operands, [&](const InFlightOperand& operand) {
    if (operand.multiply > target) {
      return false;
    }
    if (!std::equal(operand.values.begin(), operand.values.end(), operand.registers)) {
      m.fault(rules::operand_register_in_flight,
              "an A register was changed between the wgmma that reads it and the wait that covers "
              "it",
              {.other = culprit_of(m.sites[operand.site]),
               .cure = "change A registers only after this wait"});
    }
    return true;
  });
  std::erase_if(state.in_flight, [&](const std::unique_ptr<InFlightAccumulator>& accumulator) {
    if (accumulator->last_multiply > target) {
      return false;
    }
    for (std::size_t i = 0; i < accumulator->values.size(); ++i) {
      std::uint32_t now = 0;
      std::memcpy(&now, &accumulator->registers[i], sizeof now);
      if (now != poison) {
        m.fault(rules::accumulator_in_flight,
                "an accumulator register was written between a wgmma that uses it and the wait "
                "that covers it",
                {.other = culprit_of(m.sites[accumulator->site]),
                 .cure = "touch the sums only after this wait"});
      }
    }
    std::memcpy(accumulator->registers, accumulator->values.data(),
                accumulator->values.size() * sizeof(float));
    state.fenced = false;
    return true;
  });
  m.preempt();
}

}  // namespace warpline::simulator
