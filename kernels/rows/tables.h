// The table of a place's target, of those that a program is linked with.
#pragma once

#include <vector>

#include "rows/line.h"
#include "warpline/error.h"

namespace warpline::rows {

/// `gpu` and `simulator` are functions that return a family's tables; null is what the program is
/// not linked with. `library` is the family's name.
template <class Function, class... Arguments>
const auto& table_of(const Place& place, Function* gpu, Function* simulator, const char* library,
                     Arguments... arguments) {
  Function* const table = place.on_gpu() ? gpu : simulator;
  if (table == nullptr) {
    throw Error(std::string("this program is linked without the ") +
                (place.on_gpu() ? "GPU" : "simulator") + "'s kernels (warpline::" + library +
                (place.on_gpu() ? "_gpu)" : "_simulator)"));
  }
  return *table(arguments...);
}

}  // namespace warpline::rows
