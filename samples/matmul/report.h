// Results for people.
#pragma once

#include <string>

#include "samples/support/result.h"

namespace sample {

/// Some lines about one result.
std::string report_of(const Result& result, const std::string& place);

/// One line for each result, and the line above them.
std::string sweep_head(const Result& result);
std::string sweep_line(const Result& result);

}  // namespace sample
