// --trace: the timeline of a sample's kernel.
#pragma once

#include <optional>
#include <string>

#include "matmul/catalog.h"
#include "samples/support/cli_app.h"
#include "simulator/options.h"
#include "timeline/trace.h"

namespace sample {

struct TraceOptions {
  std::optional<std::string> file;
  std::optional<std::string> summary;  ///< a file for the summary as JSON
  /// GPU: CTAs of so many SMs are recorded. Simulator: so many are simulated. 0: 2 and 4.
  int multiprocessors = 0;
  /// Simulator: CTAs on each; 0: as many as fit.
  int ctas_per_multiprocessor = 0;

  bool wanted() const { return file || summary; }
};
/// --trace, --trace-summary, --trace-sms, --trace-ctas-per-sm
void add_trace_options(CLI::App& app, TraceOptions& trace);

/// Before any work: throws Error if the files could not be written.
void check_trace_files(const TraceOptions& trace);

/// Writes the files, and prints the summary and what was written.
void report_trace(const TraceOptions& options, warpline::timeline::Trace trace);

/// Simulator options for a recorded run; `recording` is to outlive it.
warpline::simulator::Options traced_options(const TraceOptions& trace, std::uint64_t seed,
                                            warpline::simulator::TimelineRecording& recording);

}  // namespace sample
