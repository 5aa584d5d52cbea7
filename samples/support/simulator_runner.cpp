#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "samples/support/runner.h"
#include "simulator/recording.h"

namespace sample {

namespace {

namespace simulator = warpline::simulator;

/// Ends an exploration.
struct WrongResult {};

class SimulatorRunner : public Runner {
 public:
  explicit SimulatorRunner(const Job& job)
      : job_(job),
        a_(random_matrix(job.size.m, job.size.k, job.seed)),
        b_(random_matrix(job.size.n, job.size.k, job.seed + 1)),
        c_(job.size.m, job.size.n) {
    if (job.check) {
      reference_.emplace(a_, b_, job.seed);
    }
  }

  std::string place() const override {
    const std::string order = job_.policies.size() == 1
                                  ? fmt::format("{} order", to_string(job_.policies.front()))
                                  : "all orders in turns";
    return fmt::format("the simulator ({}, {} schedule{})", order, job_.schedules,
                       job_.schedules == 1 ? "" : "s");
  }

  Result run(const warpline::MatmulKernel& kernel, int raster) override {
    Result result;
    result.kernel = &kernel;
    result.size = job_.size;
    const warpline::MatmulPlan plan(kernel, {.a = a_.elements.data(),
                                             .b = b_.elements.data(),
                                             .c = c_.elements(),
                                             .m = job_.size.m,
                                             .n = job_.size.n,
                                             .k = job_.size.k,
                                             .a_stride = a_.stride,
                                             .b_stride = b_.stride,
                                             .c_stride = c_.stride(),
                                             .raster = raster});
    double worst = 0;
    const auto run_and_judge = [&](const simulator::Options& options) {
      c_.poison();
      plan.run({.simulator = options});
      if (!reference_) {
        return;
      }
      judge(c_, *reference_, nullptr, result);
      if (!result.correct.value_or(false)) {
        result.complaint +=
            fmt::format(" [replay: seed {}, policy {}]", options.seed, to_string(options.policy));
        throw WrongResult();
      }
      worst = std::max(worst, result.relative_error.value_or(0));
      result.relative_error = worst;
    };
    try {
      auto found = simulator::explore({.base = {.seed = job_.seed, .strict = job_.strict},
                                       .policies = job_.policies,
                                       .schedules = job_.schedules},
                                      run_and_judge);
      if (!found.reports.empty()) {
        throw FaultsFound(std::move(found));
      }
      if (job_.trace.wanted()) {
        simulator::TimelineRecording recording;
        run_and_judge(traced_options(job_.trace, job_.seed, recording));
        report_trace(job_.trace, recording.take());
      }
    } catch (const WrongResult&) {
      // Another schedule would say nothing new.
    }
    return result;
  }

 private:
  Job job_;
  Matrix a_;
  Matrix b_;
  Output c_;
  std::optional<Reference> reference_;
};

}  // namespace

std::unique_ptr<Runner> make_simulator_runner(const Job& job) {
  return std::make_unique<SimulatorRunner>(job);
}

}  // namespace sample
