// Scales an array with the kernel of scale.h: on the simulator, then on the GPU if there is one.
#include <CLI/CLI.hpp>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "samples/support/options.h"
#include "samples/support/program.h"
#include "samples/support/target.h"
#include "samples/support/timeline.h"
#include "scale.h"
#include "simulator/explore.h"
#include "warpline/trace_session.h"

namespace pipeline_alone {

#if WARPLINE_HAS_GPU
/// `trace`: null, or where the kernel's timeline goes.
std::vector<float> scale_on_gpu(const std::vector<float>& in, float factor,
                                warpline::timeline::Trace* trace);
#endif

struct CommandLine {
  sample::PlaceOptions place;
  std::uint64_t seed = 1;
};

/// On as many schedules as were asked for. Throws if one gives a wrong result.
warpline::simulator::Exploration scale_on_simulator(const CommandLine& line,
                                                    const std::vector<float>& in, float factor,
                                                    const std::vector<float>& wanted) {
  const auto count = static_cast<int64_t>(in.size());
  return warpline::simulator::explore(
      {.base = {.seed = line.seed, .strict = line.place.strict},
       .policies = line.place.policies,
       .schedules = line.place.schedules},
      [&](const warpline::simulator::Options& options) {
        std::vector<float> out(in.size());
        warpline::launch<Scale>({.options = options}, {8, 1, 1},
                                {in.data(), out.data(), count, factor});
        if (out != wanted) {
          throw std::runtime_error("the simulator's result is WRONG [replay: seed " +
                                   std::to_string(options.seed) + ", policy " +
                                   to_string(options.policy) + "]");
        }
      });
}

/// Once more, in the order of the virtual clock.
void trace_on_simulator(const std::vector<float>& in, const sample::TraceOptions& options) {
  std::vector<float> out(in.size());
  const auto count = static_cast<int64_t>(in.size());
  warpline::Stream stream{.options = {.policy = warpline::simulator::Policy::timed}};
  warpline::TraceSession session(stream);
  warpline::launch<Scale>(stream, {8, 1, 1}, {in.data(), out.data(), count, 2.5F});
  sample::report_trace(options, session.finish());
}

bool run(const CommandLine& line) {
  const sample::TraceOptions& options = line.place.trace;
  sample::check_trace_files(options);
  const bool on_gpu = sample::takes_gpu(line.place.target);
  std::vector<float> in;
  std::vector<float> wanted;
  for (int i = 0; i < 50'000; ++i) {  // no whole number of chunks
    in.push_back(static_cast<float>(i));
    wanted.push_back(2.5F * in.back());
  }
  const auto found = scale_on_simulator(line, in, 2.5F, wanted);
  bool right = found.reports.empty();
  std::cout << "simulator: " << (right ? "right, " : "") << found.text() << '\n';
  bool traced = false;
#if WARPLINE_HAS_GPU
  if (on_gpu) {
    warpline::timeline::Trace trace;
    const bool records = warpline::sim::traced && options.wanted();
    const bool gpu_right = scale_on_gpu(in, 2.5F, records ? &trace : nullptr) == wanted;
    std::cout << "GPU: " << (gpu_right ? "right\n" : "WRONG\n");
    right = right && gpu_right;
    if (records) {
      sample::report_trace(options, std::move(trace));
      traced = true;
    }
  }
#endif
  (void)on_gpu;
  std::cout << std::flush;
  if (options.wanted() && !traced) {
    trace_on_simulator(in, options);
  }
  return right;
}

}  // namespace pipeline_alone

int main(int argc, char** argv) {
  CLI::App app("Scales an array through a ring of stages", "pipeline_alone");
  pipeline_alone::CommandLine line;
  sample::add_schedule_options(app, line.place);
  sample::add_trace_options(app, line.place.trace);
  app.add_option("--seed", line.seed, "Of the simulator's first schedule")
      ->check(sample::decimal(false));
  int status = 0;
  if (!sample::parse(app, argc, argv, status)) {
    return status;
  }
  return sample::exit_status_of("pipeline_alone",
                                [&] { return pipeline_alone::run(line) ? 0 : 1; });
}
