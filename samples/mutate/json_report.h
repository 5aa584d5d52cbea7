// Mutants for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "simulator/mutation.h"

namespace sample {

nlohmann::ordered_json json_of(const std::string& kernel,
                               const warpline::simulator::MutationReport& report);

}  // namespace sample
