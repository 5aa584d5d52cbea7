// Reductions of a whole tensor against CUB, and of columns.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "samples/rows_bench/measure.h"

namespace sample::rows {

/// "sum" and "argmax" of int32, "columns": sums down the columns of bf16. Prints a line for each
/// size, and adds it to `results`.
void measure_reductions(const std::string& operation, const Effort& effort,
                        nlohmann::ordered_json& results);

}  // namespace sample::rows
