// mbarriers: random programs of one thread, with both parities tested after each instruction,
// against a model of a few lines: arrivals of several, bytes announced before and after they come,
// phases that go round, invalidation and a second life.
#include "tests/differential/probe.h"
#include "tests/support/catch.h"
#include "warpline/isa/bulk_copy.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

enum class Op : uint32_t { arrive, expect_tx, arrive_expect_tx, load, renew };

struct Instruction {
  Op op;
  uint32_t value;          ///< arrivals, bytes, or the arrivals of the new life
  uint32_t completes = 0;  ///< whether a phase completes now (a load takes its time)
  uint32_t parity = 0;     ///< of that phase
  uint32_t to = 0;         ///< byte in shared memory that a load writes first
};

constexpr int max_instructions = 64;
constexpr uint32_t loaded_bytes = 16 * 1024;  // of all loads of a program: none overwrites another

struct MbarrierProbe {
  using Roles = RoleList<ProbeRole>;
  struct Arguments {
    const unsigned char* in;
    const Instruction* program;
    int count;
    uint32_t arrivals;
    uint32_t* out;
  };
  struct SharedMemory {
    alignas(128) uint32_t words[loaded_bytes / 4];
    isa::Mbarrier barrier;
  };
  static constexpr LaunchConfig launch{.name = "mbarrier probe"};

  static WARPLINE_DEVICE void execute(const Arguments& args, SharedMemory& shared,
                                      const Instruction& instruction) {
    switch (instruction.op) {
      case Op::arrive:
        isa::mbarrier_arrive(shared.barrier, instruction.value);
        break;
      case Op::expect_tx:
        isa::mbarrier_expect_tx(shared.barrier, instruction.value);
        break;
      case Op::arrive_expect_tx:
        isa::mbarrier_arrive_expect_tx(shared.barrier, instruction.value);
        break;
      case Op::load:
        isa::bulk_load(&shared.words[instruction.to / 4], args.in, instruction.value,
                       shared.barrier);
        break;
      case Op::renew:
        isa::mbarrier_invalidate(shared.barrier);
        isa::mbarrier_init(shared.barrier, instruction.value);
        isa::fence_mbarrier_init();
        break;
    }
  }

  /// One word per instruction: test_wait of both parities, and try_wait of one that does not wait.
  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    if (isa::thread_index() != 0) {
      return;
    }
    isa::mbarrier_init(shared.barrier, args.arrivals);
    isa::fence_mbarrier_init();
    uint32_t over = 1;  // parity of the phase before the current one
    WARPLINE_NO_UNROLL
    for (int i = 0; i < args.count; ++i) {
      const Instruction instruction = args.program[i];
      execute(args, shared, instruction);
      if (instruction.op == Op::renew) {
        over = 1;
      }
      if (instruction.completes != 0) {
        bounded_wait(shared.barrier, instruction.parity);
        over = instruction.parity;
      }
      const uint32_t zero = isa::mbarrier_test_wait(shared.barrier, 0) ? 1 : 0;
      const uint32_t one = isa::mbarrier_test_wait(shared.barrier, 1) ? 1 : 0;
      const uint32_t tried = isa::mbarrier_try_wait(shared.barrier, over) ? 1 : 0;
      isa::store_global(&args.out[i], zero | one << 1 | tried << 2);
    }
  }
};

/// What the PTX ISA says of an mbarrier, and where the next load goes.
struct Model {
  int expected;
  int pending;
  int64_t bytes = 0;       ///< announced, less issued
  bool in_flight = false;  ///< whether bytes may be on their way
  uint32_t phase = 0;
  uint32_t next = 0;

  bool quiet() const { return bytes == 0 && !in_flight && pending == expected; }

  void begin(uint32_t arrivals) {
    expected = static_cast<int>(arrivals);
    pending = expected;
    phase = 0;
  }

  void apply(Instruction& instruction) {
    const auto value = static_cast<int>(instruction.value);
    instruction.parity = phase & 1;
    switch (instruction.op) {
      case Op::arrive:
        pending -= value;
        break;
      case Op::arrive_expect_tx:
        --pending;
        bytes += value;
        break;
      case Op::expect_tx:
        bytes += value;
        break;
      case Op::load:
        bytes -= value;
        in_flight = true;
        instruction.to = next;
        next += instruction.value;
        break;
      case Op::renew:
        begin(instruction.value);
        return;
    }
    if (pending == 0 && bytes == 0) {
      instruction.completes = 1;
      ++phase;
      pending = expected;
      in_flight = false;
    }
  }
};

struct MbarrierCase {
  std::string name;
  uint32_t arrivals = 1;
  std::vector<Instruction> program;
  std::vector<uint32_t> expected;
};

/// The last arrival of a phase may come before all announced bytes are under way; then only loads
/// can follow. Bytes that came unannounced are announced before it.
Instruction draw_instruction(Dice& dice, const Model& model) {
  const auto some_bytes = [&] { return static_cast<uint32_t>(16 * dice.between(1, 8)); };
  const auto announced = static_cast<uint32_t>(model.bytes);
  if (model.pending == 0) {
    return {.op = Op::load, .value = dice.one_in(2) ? 16 : announced};
  }
  if (model.bytes < 0) {
    return {.op = dice.one_in(2) ? Op::expect_tx : Op::arrive_expect_tx, .value = 0u - announced};
  }
  if (model.bytes > 256) {
    return {.op = Op::load, .value = announced};
  }
  if (model.quiet() && dice.one_in(4)) {
    return {.op = Op::renew, .value = static_cast<uint32_t>(dice.between(1, 6))};
  }
  const Op op = dice.pick({Op::arrive, Op::arrive, Op::expect_tx, Op::arrive_expect_tx, Op::load});
  return {.op = op,
          .value = op == Op::arrive ? static_cast<uint32_t>(dice.between(1, model.pending))
                                    : some_bytes()};
}

/// What brings the phase to its end, so that nothing is open when the CTA leaves.
Instruction final_instruction(const Model& model) {
  const auto announced = static_cast<uint32_t>(model.bytes);
  if (model.bytes > 0) {
    return {.op = Op::load, .value = announced};
  }
  if (model.bytes < 0) {
    return {.op = Op::expect_tx, .value = 0u - announced};
  }
  return {.op = Op::arrive, .value = static_cast<uint32_t>(model.pending)};
}

MbarrierCase mbarrier_case(uint32_t seed) {
  Dice dice(seed);
  MbarrierCase test;
  test.name = "seed" + std::to_string(seed);
  test.arrivals = static_cast<uint32_t>(dice.one_in(3) ? 1 : dice.between(2, 6));
  Model model{};
  model.begin(test.arrivals);
  while (test.program.size() < max_instructions || !model.quiet()) {
    Instruction next = test.program.size() < max_instructions ? draw_instruction(dice, model)
                                                              : final_instruction(model);
    model.apply(next);
    test.program.push_back(next);
    // Only the phase before the current one counts as complete.
    test.expected.push_back((model.phase % 2 == 1 ? 1u : 2u) | 4u);
  }
  return test;
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Bytes run_mbarrier(const MbarrierCase& test, const Stream& stream) {
  const TargetBytes in(filled(4096, 1));
  const TargetBytes program(bytes_of(test.program));
  const TargetBytes out(Bytes(test.expected.size() * 4, canary));
  run_probe<MbarrierProbe>(stream, {1, 1, 1},
                           {.in = in.data(),
                            .program = reinterpret_cast<const Instruction*>(program.data()),
                            .count = static_cast<int>(test.program.size()),
                            .arrivals = test.arrivals,
                            .out = reinterpret_cast<uint32_t*>(out.data())});
  return out.read();
}

TEST_CASE("differential: mbarriers") {
  Results results("mbarrier", on_gpu);
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    const MbarrierCase test = mbarrier_case(seed);
    INFO(test.name);
    for (const Stream& stream : all_streams(seed)) {
      const Bytes found = run_mbarrier(test, stream);
      CHECK(first_difference(found, bytes_of(test.expected)) == "");
      CHECK(results.difference(test.name, found) == "");
    }
  }
  CHECK(results.forgotten() == "");
  if (!results.recorded()) {
    SKIP("no recorded results");
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
