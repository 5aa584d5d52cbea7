// What is known of one shape, and of all kernels on one shape: rows of the results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "samples/bench/matmul/suite.h"
#include "samples/bench/result_file.h"

namespace bench {

/// What the user forced; empty or 0 where the cost model chooses.
struct Forced {
  std::string kernel;
  int splits = 0;
  int raster = 0;
  /// MatmulOptions::deterministic is false.
  bool nondeterministic = false;

  bool operator==(const Forced&) const = default;
};

/// Medians over pairs of timings; the ratios are the vendor's time divided by ours.
struct RowSpeed {
  double milliseconds = 0;
  std::optional<double> default_milliseconds;
  std::optional<double> best_milliseconds;
  std::optional<double> ratio_to_default;
  std::optional<double> ratio_to_best;
  std::optional<int> sm_clock_mhz;
  int pairs = 0;

  /// "cool", "sustained"
  Json json() const;
  static RowSpeed from(const Json& json);
};

struct Row {
  Shape shape;
  Forced forced;
  Place place;
  std::string date;
  /// PreparedMatmul::choice().
  std::string choice;
  /// Empty if there is nothing to compare with.
  std::string vendor;
  /// Which of the vendor's first eight suggestions was its fastest, from 0.
  std::optional<int> vendor_best;

  bool correct = false;
  /// Why it is not correct, or could not run.
  std::string complaint;
  std::optional<double> relative_error;
  std::int64_t compared_rows = 0;
  std::optional<double> vendor_difference;

  std::optional<RowSpeed> cool;
  std::optional<RowSpeed> sustained;
};

/// One way to do a shape, timed.
struct Candidate {
  Forced how;
  std::string choice;
  double milliseconds = 0;
  /// Why it is not correct.
  std::string complaint;
  /// Times that it was in the contest: each found the slower half of the ones before left out.
  int stages = 0;
};

struct SweepRow {
  Shape shape;
  Place place;
  std::string date;
  std::string vendor;
  std::optional<double> default_milliseconds;
  std::optional<double> best_milliseconds;
  /// Those that reached the last contest first, each part fastest first.
  std::vector<Candidate> candidates;
  /// The cost model's choice, timed in the last contest.
  std::optional<Candidate> chosen;
  /// Candidates whose partial sums are added in any order were in it.
  bool nondeterministic = false;
  /// False if time ran out.
  bool complete = true;
};

Json key_of(const Shape& shape, const Place& place, const Forced& forced);
Json key_of_sweep(const Shape& shape, const Place& place, bool nondeterministic);
bool is_sweep(const Json& row);

Json json_of(const Row& row);
Json json_of(const SweepRow& row);

/// Throw Error for what json_of cannot have made.
Row row_of(const Json& json);
SweepRow sweep_row_of(const Json& json);

double tflops(const Shape& shape, double milliseconds);
/// Of the bytes that must move: A, B and D once.
double gigabytes_per_second(const Shape& shape, double milliseconds);

}  // namespace bench
