#include "kernel_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "matmul/warp_specialized_plan.h"
#include "samples/support/usage_error.h"
#include "warpline/error.h"

namespace sample {

using warpline::MatmulKernel;
using warpline::WarpSpecializedConfig;

namespace {

bool fits(const MatmulKernel& kernel, const KernelFilter& filter) {
  return kernel.stages == filter.stages.value_or(kernel.stages) &&
         kernel.block_m == filter.block_m.value_or(kernel.block_m) &&
         kernel.block_n == filter.block_n.value_or(kernel.block_n) &&
         kernel.block_k == filter.block_k.value_or(kernel.block_k);
}

/// How many of the defaults a kernel departs from.
int distance(const MatmulKernel& kernel) {
  constexpr WarpSpecializedConfig usual;
  const bool differs[] = {kernel.stages != usual.stages, kernel.block_m != usual.block_m,
                          kernel.block_n != usual.block_n, kernel.block_k != usual.block_k};
  return static_cast<int>(std::count(std::begin(differs), std::end(differs), true));
}

/// The filter as a configuration: the chip's refusal, if that is why the catalog does not have it.
std::string refusal_of(const KernelFilter& filter) {
  if (filter.name.rfind("warp_specialized", 0) != 0) {
    return {};
  }
  WarpSpecializedConfig config;
  config.stages = filter.stages.value_or(config.stages);
  config.block_m = filter.block_m.value_or(config.block_m);
  config.block_n = filter.block_n.value_or(config.block_n);
  config.block_k = filter.block_k.value_or(config.block_k);
  // The plan does arithmetic on what it is given: nothing absurd may reach it.
  for (const int value : {config.stages, config.block_m, config.block_n, config.block_k}) {
    if (value <= 0 || value > 4096) {
      return {};
    }
  }
  return refusal(config);
}

}  // namespace

const MatmulKernel& choose_kernel(const std::vector<MatmulKernel>& catalog,
                                  const KernelFilter& filter) {
  const MatmulKernel* best = nullptr;
  bool known = false;
  for (const MatmulKernel& kernel : catalog) {
    if (kernel.name != filter.name) {
      continue;
    }
    known = true;
    if (fits(kernel, filter) && (best == nullptr || distance(kernel) < distance(*best))) {
      best = &kernel;
    }
  }
  if (!known) {
    throw UsageError(fmt::format("no kernel is named '{}'; --list names them", filter.name));
  }
  if (best != nullptr) {
    return *best;
  }
  if (const std::string why = refusal_of(filter); !why.empty()) {
    throw warpline::Error(why);
  }
  throw UsageError(
      fmt::format("{} is not built with that tile; --list has the tiles", filter.name));
}

std::vector<const MatmulKernel*> all_kernels(const std::vector<MatmulKernel>& catalog,
                                             const KernelFilter& filter) {
  std::vector<const MatmulKernel*> found;
  for (const MatmulKernel& kernel : catalog) {
    const std::string name = kernel.name;
    if ((name == filter.name || name.rfind(filter.name + ".", 0) == 0) && fits(kernel, filter)) {
      found.push_back(&kernel);
    }
  }
  if (found.empty()) {
    choose_kernel(catalog, filter);  // throws why
  }
  return found;
}

std::string list_of(const std::vector<MatmulKernel>& catalog) {
  std::vector<std::string> order;
  std::map<std::string, std::set<int>> stages;
  for (const MatmulKernel& kernel : catalog) {
    std::string line = fmt::format("{:<32} {:>3} x {:>3} x {:>2}", kernel.name, kernel.block_m,
                                   kernel.block_n, kernel.block_k);
    if (kernel.static_n != 0 || kernel.static_k != 0) {
      line += fmt::format("   N = {}, K = {}", kernel.static_n, kernel.static_k);
    }
    if (stages[line].empty()) {
      order.push_back(line);
    }
    stages[line].insert(kernel.stages);
  }
  std::string text = fmt::format("{:<32} {:<14}\n", "kernel", "block m, n, k");
  for (const std::string& line : order) {
    text += line + "   stages";
    for (const int count : stages[line]) {
      text += fmt::format(" {}", count);
    }
    text += "\n";
  }
  return text;
}

std::string tile_of(const MatmulKernel& kernel) {
  return fmt::format("{} x {} x {}, {} stages", kernel.block_m, kernel.block_n, kernel.block_k,
                     kernel.stages);
}

}  // namespace sample
