// Small shapes on the simulator: right or wrong, no times.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "samples/bench/matmul/runner.h"
#include "samples/support/noise.h"
#include "samples/support/reference.h"
#include "simulator/explore.h"
#include "simulator/recording.h"
#include "warpline/error.h"

namespace bench {

namespace {

namespace simulator = warpline::simulator;
using sample::Noise;

/// A second or two of simulation.
constexpr double most_multiplications = 1 << 28;

/// D between two guards, NaN all of it until the kernel writes.
class GuardedOutput {
 public:
  explicit GuardedOutput(const Shape& shape)
      : shape_(shape), image_(static_cast<std::size_t>(shape.m * shape.n + 2 * guard)) {}

  std::uint16_t* data() { return image_.data() + guard; }
  void poison() { std::fill(image_.begin(), image_.end(), poison_bits); }
  bool guards_are_whole() const {
    const auto whole = [](auto begin, auto end) {
      return std::all_of(begin, end, [](std::uint16_t bits) { return bits == poison_bits; });
    };
    return whole(image_.begin(), image_.begin() + guard) &&
           whole(image_.end() - guard, image_.end());
  }
  sample::Rows rows() const {
    return {shape_.m, shape_.n, [this](std::int64_t row, float* values) {
              sample::to_floats(shape_.type, image_.data() + guard + row * shape_.n, shape_.n,
                                values);
            }};
  }

 private:
  static constexpr std::int64_t guard = 128;
  static constexpr std::uint16_t poison_bits = 0xffff;  // a NaN of either type

  Shape shape_;
  std::vector<std::uint16_t> image_;
};

/// Ends an exploration.
struct WrongResult {};

class SimulatorRunner : public MatmulRunner {
 public:
  explicit SimulatorRunner(const MatmulCommand& command) : command_(command) {}

  bool timed() const override { return false; }

  std::string explain(const Shape& shape) override {
    // Only addresses: the memory is never touched.
    const auto memory = [](std::int64_t elements) {
      return std::make_unique_for_overwrite<std::uint16_t[]>(static_cast<std::size_t>(elements));
    };
    const auto a = memory(shape.m * shape.k);
    const auto b = memory(shape.n * shape.k);
    const auto d = memory(shape.m * shape.n);
    return plan_of(simulator::Options{}, shape, a.get(), b.get(), d.get(),
                   options_of(command_.forced))
        .choice();
  }

  Row measure(const Shape& shape) override {
    Row row{.shape = shape, .forced = command_.forced};
    if (shape.multiplications() > most_multiplications) {
      row.complaint =
          fmt::format("{:.0f} million multiplications are too many to simulate: {:.0f} at most",
                      shape.multiplications() * 1e-6, most_multiplications * 1e-6);
      return row;
    }
    try {
      check(shape, row);
    } catch (const warpline::Error& error) {
      row.correct = false;
      row.complaint = error.what();
    }
    return row;
  }

  SweepRow sweep(const Shape&, const Deadline&) override {
    throw warpline::Error("--sweep times the GPU");
  }

 private:
  void check(const Shape& shape, Row& row) {
    const Noise& noise = noise_of(shape.type);
    std::vector<std::uint16_t> a(static_cast<std::size_t>(shape.m * shape.k));
    std::vector<std::uint16_t> b(static_cast<std::size_t>(shape.n * shape.k));
    noise.copy(0, shape.m * shape.k, a.data());
    noise.copy(shape.m * shape.k, shape.n * shape.k, b.data());
    const sample::Reference reference(noise.matrix(0, shape.m, shape.k),
                                      noise.matrix(shape.m * shape.k, shape.n, shape.k),
                                      command_.seed, sample::usual_sample_cost);
    GuardedOutput d(shape);
    const warpline::PreparedMatmul plan = plan_of(simulator::Options{}, shape, a.data(), b.data(),
                                                  d.data(), options_of(command_.forced));
    row.choice = plan.choice();
    row.compared_rows = reference.rows();
    const auto run_and_judge = [&](const simulator::Options& options) {
      d.poison();
      plan.run(options);
      const double error = reference.relative_error(d.rows());
      row.relative_error = std::max(row.relative_error.value_or(0), error);
      if (!d.guards_are_whole()) {
        row.complaint = "it wrote outside D";
      } else if (!(error < sample::error_limit_of(shape.type))) {
        row.relative_error = error;
        row.complaint = fmt::format("its relative error against fp64 is {:.2e}", error);
      }
      if (!row.complaint.empty()) {
        row.complaint +=
            fmt::format(" [replay: seed {}, policy {}]", options.seed, to_string(options.policy));
        throw WrongResult();
      }
    };
    try {
      const auto found =
          simulator::explore({.base = {.seed = command_.seed, .strict = command_.place.strict},
                              .policies = command_.place.policies,
                              .schedules = command_.place.schedules},
                             run_and_judge);
      if (!found.reports.empty()) {
        row.complaint = found.text();
      } else if (command_.place.trace.wanted()) {
        simulator::TimelineRecording recording;
        run_and_judge(sample::traced_options(command_.place.trace, command_.seed, recording));
        sample::report_trace(command_.place.trace, recording.take());
      }
    } catch (const WrongResult&) {
      // Another schedule would say nothing new.
    }
    row.correct = row.complaint.empty();
  }

  const Noise& noise_of(warpline::ElementType type) {
    if (!noise_ || noise_->type() != type) {
      noise_.emplace(type, command_.seed);
    }
    return *noise_;
  }

  MatmulCommand command_;
  std::optional<Noise> noise_;
};

}  // namespace

std::unique_ptr<MatmulRunner> make_simulator_runner(const MatmulCommand& command) {
  return std::make_unique<SimulatorRunner>(command);
}

}  // namespace bench
