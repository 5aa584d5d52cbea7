// What a simulation found. Part of the simulator's public face.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "simulator/options.h"
#include "simulator/rules.h"

namespace warpline::simulator {

/// Somebody, at a line of the user's source.
struct Culprit {
  std::string role;  ///< empty: outside all roles
  int warp = -1;     ///< -1: nobody in particular
  int lane = -1;     ///< -1: not known, or an agent on behalf of the warp
  unsigned cta = 0;
  std::string file;  ///< empty: no annotated line was passed yet
  unsigned line = 0;

  /// "consumer (CTA 0, warp 2) at kernel.h:71"
  std::string text() const;
};

/// One fault: which rule was broken, by whom, where, and what to do. Its first part, Culprit, is
/// who was caught.
struct Report : Culprit {
  FaultKind kind = FaultKind::deadlock;
  const Rule* rule = nullptr;  ///< one of all_rules()
  std::string what;            ///< what happened, with the values
  std::string cure;            ///< what to do; empty if `what` says it all
  /// The other party: who made the access that this one conflicts with, issued the copy, ...
  std::optional<Culprit> other;
  int stage = -1;  ///< of the ring, if it is about one
  /// Who waits for what, one line each, if nobody can go on.
  std::string situation;
  std::string kernel;
  std::uint64_t seed = 0;
  Policy policy = Policy::random;

  /// All of it, for people.
  std::string text() const;
  /// All of it, as one JSON object.
  std::string json() const;
  /// Equal for reports of one cause: rule, and both parties' roles and lines.
  std::string cause() const;
};

/// Thrown by a simulation that found a fault.
class SimulationFault : public std::runtime_error {
 public:
  explicit SimulationFault(const Report& found) : std::runtime_error(found.text()), report(found) {}
  Report report;
};

}  // namespace warpline::simulator
