#include "samples/ladder/candidates.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "samples/ladder/survivors.h"
#include "samples/support/usage_error.h"
#include "tuner/reflect.h"

namespace ladder {

using warpline::MatmulKernel;
using warpline::tuner::Values;

namespace {

Point point_of(const MatmulKernel& kernel) {
  return {version_of(kernel), kernel.stages, kernel.block_m, kernel.block_n, kernel.block_k};
}

bool fits(const MatmulKernel& kernel, const Filter& filter) {
  return kernel.stages == filter.stages.value_or(kernel.stages) &&
         kernel.block_m == filter.block_m.value_or(kernel.block_m) &&
         kernel.block_n == filter.block_n.value_or(kernel.block_n) &&
         kernel.block_k == filter.block_k.value_or(kernel.block_k);
}

}  // namespace

int version_of(const MatmulKernel& kernel) {
  const std::string_view name = kernel.name;
  return name.back() - '0';
}

bool exists(const std::vector<MatmulKernel>& catalog, int version, const Filter& filter) {
  return (!filter.raster || facts[version].rasters) &&
         std::any_of(catalog.begin(), catalog.end(), [&](const MatmulKernel& kernel) {
           return version_of(kernel) == version && fits(kernel, filter);
         });
}

std::vector<Candidate> candidates(const std::vector<MatmulKernel>& catalog, int version,
                                  const Filter& filter) {
  if (filter.raster && !facts[version].rasters) {
    throw sample::UsageError(fmt::format("v{} has no raster: v4 and v5 have one", version));
  }
  std::vector<Candidate> found;
  for (const MatmulKernel& kernel : catalog) {
    if (version_of(kernel) != version || !fits(kernel, filter)) {
      continue;
    }
    if (filter.raster || !facts[version].rasters) {
      found.push_back({&kernel, filter.raster.value_or(0)});
      continue;
    }
    for (const int raster : rasters) {
      found.push_back({&kernel, raster});
    }
  }
  if (found.empty()) {
    throw sample::UsageError(fmt::format(
        "no configuration of v{} that is built is of that kind; --list has them", version));
  }
  return found;
}

Values values_of(const Candidate& candidate) {
  Values values = warpline::tuner::values_of(point_of(*candidate.kernel));
  values.erase(values.begin());  // the version is the kernel's name
  if (candidate.raster != 0) {
    values.emplace_back("raster", candidate.raster);
  }
  return values;
}

std::string to_string(const Candidate& candidate) {
  const MatmulKernel& kernel = *candidate.kernel;
  std::string text = fmt::format("{} x {} x {}, {} stage{}", kernel.block_m, kernel.block_n,
                                 kernel.block_k, kernel.stages, kernel.stages == 1 ? "" : "s");
  return candidate.raster == 0 ? text : text + fmt::format(", raster {}", candidate.raster);
}

const Candidate* find(const std::vector<Candidate>& candidates, const Values& values) {
  const auto found =
      std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
        return warpline::tuner::same(values_of(candidate), values);
      });
  return found == candidates.end() ? nullptr : &*found;
}

const Candidate& guess(const std::vector<Candidate>& candidates, const sample::Size& size,
                       int multiprocessors) {
  const Choice choice =
      heuristic(version_of(*candidates.front().kernel), size.m, size.n, multiprocessors);
  const auto differences = [&](const Candidate& candidate) {
    const Point point = point_of(*candidate.kernel);
    const bool differs[] = {
        point.stages != choice.point.stages, point.block_m != choice.point.block_m,
        point.block_n != choice.point.block_n, point.block_k != choice.point.block_k,
        candidate.raster != choice.raster};
    return std::count(std::begin(differs), std::end(differs), true);
  };
  return *std::min_element(
      candidates.begin(), candidates.end(),
      [&](const Candidate& a, const Candidate& b) { return differences(a) < differences(b); });
}

std::string list_of(const std::vector<MatmulKernel>& catalog) {
  std::map<std::string, std::set<int>> stages;
  for (const MatmulKernel& kernel : catalog) {
    stages[fmt::format("v{}       {:>3} x {:>3} x {:>2}", version_of(kernel), kernel.block_m,
                       kernel.block_n, kernel.block_k)]
        .insert(kernel.stages);
  }
  std::string text = "version  block m, n, k   stages\n";
  for (const auto& [line, counts] : stages) {
    text += line + "  ";
    for (const int count : counts) {
      text += fmt::format(" {}", count);
    }
    text += "\n";
  }
  text += fmt::format("{} of the {} configurations that fit are built; v4 and v5 take rasters of",
                      catalog.size(), survivors.size());
  for (const int raster : rasters) {
    text += fmt::format(" {}", raster);
  }
  return text + " rows\n";
}

std::string what_is_missing(const std::vector<MatmulKernel>& catalog) {
  if (catalog.size() == survivors.size()) {
    return {};
  }
  return fmt::format(
      "{} of {} configurations are built; samples/run -DWARPLINE_LADDER_SPACE=full ladder builds "
      "all",
      catalog.size(), survivors.size());
}

}  // namespace ladder
