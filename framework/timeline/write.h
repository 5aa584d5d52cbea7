// A timeline as a file: a trace for Perfetto (or chrome://tracing), a page for a browser, a picture
// for documents.
#pragma once

#include <ostream>
#include <string>

#include "timeline/summary.h"
#include "timeline/trace.h"

namespace warpline::timeline {

struct WriteOptions {
  /// Pages and pictures show at most so many events, whole CTAs first; totals are of all.
  std::uint64_t shown_events = 200'000;
  /// Pictures: the part of the time that is shown; 0 and 0 for a few turns of the ring from the
  /// middle of the first CTA's life.
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  /// Pictures: CTAs of one multiprocessor that are shown.
  int ctas = 3;
};

/// Resolves the trace and writes `path`, whose ending says what: .json for Perfetto, .html, or
/// .svg. Throws Error naming the file and what was wrong; then there is no file, or the one that
/// was there before. Returns the summary.
Summary write_file(Trace& trace, const std::string& path, const WriteOptions& options = {});

/// Throws Error unless write_file could write there as far as can be told before a kernel runs: a
/// known ending, and a folder that exists.
void check_path(const std::string& path);

// Of a resolved trace. A stream that fails ends the writing.
void write_perfetto(const Trace& trace, const Summary& summary, std::ostream& out);
void write_html(const Trace& whole, const Summary& summary, const WriteOptions& options,
                std::ostream& out);
void write_svg(const Trace& trace, const Summary& summary, const WriteOptions& options,
               std::ostream& out);

}  // namespace warpline::timeline
