// Medians, and how sure they are.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpline::tuner {

/// 0 of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Relative standard deviation of one sample, pooled over groups that each have a median of their
/// own. From the median absolute deviation: 1.4826 of it is sigma of normal noise (Rousseeuw and
/// Croux 1993), and n / (n - 1) under the root makes up for deviations from the group's own median.
inline double pooled_sigma(const std::vector<std::vector<double>>& groups) {
  std::vector<double> deviations;
  for (const std::vector<double>& group : groups) {
    const auto count = static_cast<double>(group.size());
    if (group.size() < 2) {
      continue;
    }
    const double middle = median(group);
    for (const double value : group) {
      deviations.push_back(std::abs(value / middle - 1) * std::sqrt(count / (count - 1)));
    }
  }
  return 1.4826 * median(deviations);
}

/// Relative standard error of a median of `samples` with this sigma.
inline double median_error(double sigma, std::size_t samples) {
  return 1.2533 * sigma / std::sqrt(static_cast<double>(std::max<std::size_t>(samples, 1)));
}

}  // namespace warpline::tuner
