#include "samples/support/result.h"

#include <fmt/core.h>

namespace sample {

void judge(const Output& c, const Reference& reference, const Output* vendor, Result& result) {
  result.relative_error = reference.relative_error(c);
  result.compared_rows = reference.rows();
  if (vendor != nullptr) {
    result.vendor_difference = relative_difference(c, *vendor);
  }
  result.complaint = c.damage();
  const auto require = [&](double error, const std::string& what) {
    // Not `error >= error_limit`, which a NaN would pass.
    if (result.complaint.empty() && !(error < error_limit)) {
      result.complaint =
          fmt::format("its relative error against {} is {:.2e}, allowed is less than {:.0e}", what,
                      error, error_limit);
    }
  };
  require(*result.relative_error, "fp64");
  if (result.vendor_difference) {
    require(*result.vendor_difference, result.vendor_name);
  }
  result.correct = result.complaint.empty();
}

double tflops(const Size& size, double milliseconds) {
  if (milliseconds <= 0) {
    return 0;
  }
  return 2.0 * static_cast<double>(size.m) * static_cast<double>(size.n) *
         static_cast<double>(size.k) * 1e-9 / milliseconds;
}

}  // namespace sample
