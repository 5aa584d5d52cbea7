// Options that the samples have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "samples/support/cli_app.h"
#include "samples/support/target.h"
#include "samples/support/timeline.h"
#include "simulator/options.h"

namespace sample {

/// Digits, few enough to be a number: CLI11 alone takes "", hexadecimal and what overflows.
CLI::Validator decimal(bool may_be_negative);

struct SizeOptions {
  std::optional<std::int64_t> m;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> k;
};
/// --m, --n, --k
void add_size_options(CLI::App& app, SizeOptions& size);

struct PlaceOptions {
  TargetWish target = TargetWish::automatic;
  /// In turns.
  std::vector<warpline::simulator::Policy> policies = {warpline::simulator::Policy::random};
  int schedules = 1;
  bool strict = false;
  bool vendor_lt = false;
  TraceOptions trace;
};
/// --target
void add_target_option(CLI::App& app, TargetWish& target);
/// --target, --policy, --schedules, --strict
void add_schedule_options(CLI::App& app, PlaceOptions& place);
/// These, --vendor, --trace and what goes with it.
void add_place_options(CLI::App& app, PlaceOptions& place);

}  // namespace sample
