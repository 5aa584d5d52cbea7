// The table of a place's target.
#pragma once

#include <vector>

#include "rows/line.h"
#include "warpline/error.h"

namespace warpline::rows {

/// `gpu` and `simulator` return a family's tables; whichever the build has not got is null.
template <class Table>
const std::vector<RowLine>& table_of(const Place& place, Table gpu, Table simulator,
                                     const char* call) {
  const Table table = place.on_gpu() ? gpu : simulator;
  if (table == nullptr) {
    throw Error(std::string(call) + ": this build has no kernels for the " +
                (place.on_gpu() ? "GPU (WARPLINE_GPU)" : "simulator (WARPLINE_SIMULATOR)"));
  }
  return table();
}

}  // namespace warpline::rows
