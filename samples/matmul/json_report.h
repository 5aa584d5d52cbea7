// Results for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "samples/support/result.h"

namespace sample {

/// What was not measured is null; so is an error that is not a number.
nlohmann::ordered_json json_of(const Result& result);

}  // namespace sample
