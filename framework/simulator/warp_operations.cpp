// What a warp does together: elections, meetings, shuffles, matrices in registers; register
// hand-over.
#include <bit>
#include <cstring>

#include "simulator/machine.h"
#include "simulator/number_formats.h"

namespace warpline::simulator {

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
    const Culprit other = culprit_of(m.sites[meeting.site]);
    m.fault(rules::lanes_disagree,
            "lanes of one warp are at different operations: some at " +
                std::string(meeting.operation) + " (" + other.text() + "), this one at " +
                operation,
            {.other = other, .cure = "no collective in code that only part of a warp runs"});
  }
  if (meeting.arrived == 0) {
    meeting.site = m.site_of(self);
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
  m.spend(m.options.costs.instruction);
  return meeting.results;
}

}  // namespace

bool elect_one() {
  Thread& self = machine().thread();
  ++self.elections;
  return self.lane == self.warp->elected_lane;
}

// Of a warp's operations only this one orders memory accesses (PTX ISA, "bar.warp.sync").
void syncwarp() {
  if (mutated({.instruction = Instruction::syncwarp})) {
    return;
  }
  meet("syncwarp", 0, true);
}

std::uint32_t shuffle(std::uint32_t value, std::uint32_t lane) {
  if (lane >= 32) {
    machine().fault(rules::shuffle_lane, "shuffle from lane " + std::to_string(lane));
  }
  return meet("shuffle", value)[lane];
}

void stmatrix(void* row, const std::uint32_t* fragment, int matrices, bool transposed) {
  // Every lane must hand its row addresses to the others; then each lane writes one row of each
  // matrix' data.
  Machine& m = machine();
  const Thread& self = m.thread();
  const SharedMemory& memory = self.cta->memory;
  if (!memory.contains(row, 16) || memory.offset(row) % 16 != 0) {
    m.fault(rules::matrix_row_alignment,
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

void ldmatrix(const void* row, std::uint32_t* fragment, int matrices) {
  Machine& m = machine();
  const Thread& self = m.thread();
  const SharedMemory& memory = self.cta->memory;
  const bool addresses = static_cast<int>(self.lane / 8) < matrices;
  if (addresses && (!memory.contains(row, 16) || memory.offset(row) % 16 != 0)) {
    m.fault(rules::matrix_row_alignment,
            "ldmatrix: a row address is outside shared memory or not on 16 bytes");
  }
  const auto rows = meet("ldmatrix", addresses ? memory.offset(row) : 0);
  for (int i = 0; i < matrices; ++i) {
    const std::uint32_t place =
        rows[static_cast<std::size_t>(i) * 8 + self.lane / 4] + self.lane % 4 * 4;
    shared_read(memory.at(place), 4);
    std::memcpy(&fragment[i], memory.at(place), 4);
  }
}

void mma_sync(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], bool bf16) {
  const unsigned lane = machine().thread().lane;
  float rows[2][16];
  float columns[2][16];
  const auto unpack = [bf16](std::uint32_t pair, float* to) {
    const auto number = bf16 ? bf16_to_float : fp16_to_float;
    to[0] = number(static_cast<std::uint16_t>(pair));
    to[1] = number(static_cast<std::uint16_t>(pair >> 16));
  };
  // This lane computes rows lane/4 and lane/4 + 8, columns 2(lane%4) and the next.
  for (int i = 0; i < 4; ++i) {
    const auto& all = meet("mma.sync", a[i]);
    for (unsigned q = 0; q < 4; ++q) {
      unpack(all[lane / 4 * 4 + q], &rows[i % 2][static_cast<unsigned>(i / 2) * 8 + q * 2]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    const auto& all = meet("mma.sync", b[i]);
    for (unsigned c = 0; c < 2; ++c) {
      for (unsigned q = 0; q < 4; ++q) {
        unpack(all[(lane % 4 * 2 + c) * 4 + q], &columns[c][static_cast<unsigned>(i) * 8 + q * 2]);
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 16; ++k) {
      d[i] += rows[i / 2][k] * columns[i % 2][k];
    }
  }
}

void setmaxnreg(int registers, bool increase) {
  if (mutated({.instruction = Instruction::setmaxnreg,
               .value = static_cast<unsigned>(registers),
               .other = increase ? 1u : 0u})) {
    return;
  }
  Machine& m = machine();
  Thread& self = m.thread();
  Warp& warp = *self.warp;
  Cta& cta = *self.cta;
  if (m.launch.registers == 0) {
    m.fault(rules::register_launch, "setmaxnreg in a kernel whose launch registers are not known");
  }
  if (registers < 24 || registers > 256 || registers % 8 != 0) {
    m.fault(rules::register_count, "setmaxnreg " + std::to_string(registers) +
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
    m.fault(rules::register_count, std::string("setmaxnreg.") + (increase ? "inc" : "dec") +
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

}  // namespace warpline::simulator
