// The rules that the simulator enforces: what each says and what it rests on. Part of the
// simulator's public face; docs/design.md has the same list for people.
#pragma once

#include <span>

namespace warpline::simulator {

/// What is wrong, roughly; docs/simulator.md has what each means and its cure.
enum class FaultKind {
  deadlock,
  no_progress,
  out_of_bounds,
  uninitialised_read,
  mbarrier_misuse,
  transaction_mismatch,
  proxy_fence_missing,
  mbarrier_fence_missing,
  data_race,
  copy_race,
  wgmma_race,
  store_race,
  wgmma_misuse,
  warp_disagreement,
  named_barrier_misuse,
  register_pool,
  copy_misuse,
  exited_cta,
  leak,
};

const char* to_string(FaultKind kind);

/// What a rule rests on.
enum class Basis {
  ptx,        ///< the PTX ISA says so
  cuda,       ///< the CUDA C++ Programming Guide or the driver's documentation says so
  hardware,   ///< measured on an H200
  practice,   ///< what vendor libraries do throughout
  judgement,  ///< legal as far as the texts go, or not decidable by the model; nearly always wrong
};

const char* to_string(Basis basis);

struct Rule {
  const char* name;  ///< for filters and tables: stable, lower case, with hyphens
  FaultKind kind = FaultKind::deadlock;
  Basis basis = Basis::judgement;
  const char* source;  ///< the section's title; why, if it is judgement
  const char* text;    ///< what must hold
  /// Vendor practice breaks it, where PTX does not: reported only with Options::strict.
  bool strict_only = false;
  /// What to do, unless the report of the case has something better to say.
  const char* cure = "";
};

/// All of them, in the order of the table in docs/design.md.
std::span<const Rule* const> all_rules();

}  // namespace warpline::simulator
