#include "samples/support/timeline.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "samples/support/json_file.h"
#include "simulator/recording.h"
#include "timeline/resolve.h"
#include "timeline/write.h"

namespace sample {

namespace timeline = warpline::timeline;
namespace simulator = warpline::simulator;

void add_trace_options(CLI::App& app, TraceOptions& trace) {
  app.add_option("--trace", trace.file,
                 "Write the kernel's timeline: FILE.json for Perfetto, FILE.html or FILE.svg. On a "
                 "GPU it needs a build with WARPLINE_TRACE (preset trace)");
  app.add_option("--trace-summary", trace.summary, "Write the timeline's summary as JSON");
  app.add_option("--trace-sms", trace.multiprocessors,
                 "SMs whose CTAs are recorded (GPU: 2), or that are simulated (simulator: 4)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--trace-ctas-per-sm", trace.ctas_per_multiprocessor,
                 "Simulator: CTAs that share an SM (default: as many as fit)")
      ->check(CLI::Range(1, 32));
}

void check_trace_files(const TraceOptions& trace) {
  if (trace.file) {
    timeline::check_path(*trace.file);
  }
  if (trace.summary) {
    const JsonFile can_be_written(*trace.summary);
  }
}

void report_trace(const TraceOptions& options, timeline::Trace trace) {
  timeline::resolve(trace);
  const timeline::Summary summary =
      options.file ? timeline::write_file(trace, *options.file) : timeline::summarize(trace);
  if (options.summary) {
    JsonFile(*options.summary).write(nlohmann::ordered_json::parse(timeline::to_json(summary)));
  }
  fmt::print("{}", timeline::to_text(summary));
  if (options.file) {
    fmt::print("  written to {}\n", *options.file);
  }
}

simulator::Options traced_options(const TraceOptions& trace, std::uint64_t seed,
                                  simulator::TimelineRecording& recording) {
  simulator::Options options{.seed = seed,
                             .policy = simulator::Policy::timed,
                             .ctas_per_multiprocessor = trace.ctas_per_multiprocessor,
                             .recording = &recording};
  if (trace.multiprocessors != 0) {
    options.multiprocessors = trace.multiprocessors;
  }
  return options;
}

}  // namespace sample
