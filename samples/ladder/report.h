// Results of the versions, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "samples/ladder/tuning.h"
#include "samples/support/result.h"

namespace ladder {

/// What one version did.
struct Report {
  int version;
  Picked picked;
  sample::Result result;
};

/// One line for each version, and the line above them.
std::string head(bool timed);
std::string line_of(const Report& report);

/// gpu, driver, date, problem, vendor, and a list of versions. What was not measured is null.
nlohmann::ordered_json json_of(const std::vector<Report>& reports, const Place& place,
                               const sample::Size& size);

}  // namespace ladder
