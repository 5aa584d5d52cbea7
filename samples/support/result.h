// What is known of one kernel after it ran.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "matmul/catalog.h"
#include "samples/support/matrix.h"
#include "samples/support/reference.h"

namespace sample {

/// Medians over pairs of timings, ours and the vendor's in turns.
struct Speed {
  double milliseconds = 0;
  std::optional<double> vendor_milliseconds;
  /// The vendor's time divided by ours.
  std::optional<double> ratio;
  std::optional<int> sm_clock_mhz;
  int pairs = 0;
};

struct Result {
  const warpline::MatmulKernel* kernel = nullptr;
  Size size;
  bool on_gpu = false;
  /// Empty if there is nothing to compare with.
  std::string vendor_name;

  std::optional<bool> correct;
  /// Why it is not correct.
  std::string complaint;
  std::optional<double> relative_error;
  std::int64_t compared_rows = 0;
  std::optional<double> vendor_difference;

  /// Bursts after a rest, and seconds of load without one.
  std::optional<Speed> cool;
  std::optional<Speed> sustained;
};

/// Fills in error and judgement of a finished run; `vendor` is the vendor's C, or null.
void judge(const Output& c, const Reference& reference, const Output* vendor, Result& result);

/// 0 if the time is not known.
double tflops(const Size& size, double milliseconds);

}  // namespace sample
