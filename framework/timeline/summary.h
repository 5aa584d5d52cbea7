// What a timeline says in words and numbers: who waits for what and for how long, how busy the
// tensor cores are, and why they are not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timeline/trace.h"

namespace warpline::timeline {

/// What a role spent time on. Cycles are summed over its warps.
struct Share {
  Kind kind = Kind::wait;
  std::string name;  ///< "full", "empty", "multiply", ...
  std::uint64_t cycles = 0;
  std::uint64_t count = 0;
  double share = 0;  ///< of the role's cycles
};

struct RoleSummary {
  std::string role;
  std::uint64_t warps = 0;   ///< that recorded anything, in all CTAs
  std::uint64_t cycles = 0;  ///< from each CTA's begin to its end, summed over the warps
  std::uint64_t waiting = 0;
  double waiting_share = 0;
  std::vector<Share> shares;  ///< the longest first; what is not listed is the role's other code
};

/// A time in which the tensor cores of a multiprocessor had nothing to do.
struct Bubble {
  std::uint32_t sm = 0;
  std::uint32_t cta = 0;
  std::uint64_t begin = 0;
  std::uint64_t cycles = 0;
  std::string cause;
  double gain = 0;  ///< how much faster without it: 0.01 is 1 %
};

/// All bubbles of one cause, whatever the stage.
struct BubbleKind {
  std::string cause;
  std::uint64_t count = 0;
  std::uint64_t cycles = 0;
  double share = 0;  ///< of the multiprocessors' time
  double gain = 0;
};

struct Summary {
  std::string kernel;
  std::string target;
  std::string unit;
  std::uint64_t cycles = 0;  ///< from the first event to the last
  double microseconds = 0;
  std::uint64_t multiprocessors = 0;
  std::uint64_t ctas = 0;
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  std::uint64_t dropped_ctas = 0;
  std::uint64_t cut_warps = 0;
  bool landings_derived = false;
  /// Cycles of multiplies at full rate, of all cycles of the multiprocessors between their first
  /// CTA's begin and their last one's end.
  double tensor_busy_share = 0;
  std::vector<RoleSummary> roles;
  bool has_bubble = false;
  Bubble longest;
  std::vector<BubbleKind> bubbles;  ///< the costliest first
};

/// Of a resolved trace.
Summary summarize(const Trace& trace);

/// For people, lines of at most 100 columns or so.
std::string to_text(const Summary& summary);
/// For programs.
std::string to_json(const Summary& summary);

}  // namespace warpline::timeline
