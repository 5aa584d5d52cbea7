#include "matmul/choice.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

#include "matmul/cost.h"
#include "matmul/fit.h"
#include "matmul/measured_choices.h"
#include "warpline/error.h"

namespace warpline {

namespace {

constexpr int split_candidates[] = {1, 2, 3, 4, 6, 8, 16};
constexpr int raster_candidates[] = {8, 4, 16, 2, 1, 32};

struct Candidate {
  const MatmulLine* line;
  Fit fit;
};

std::string split_text(int splits) {
  return splits == stream_k ? "stream" : std::to_string(splits);
}

/// The kernels that can, and of those that cannot the reason of the one that came nearest.
struct Candidates {
  std::vector<Candidate> fitting;
  std::string obstacle;
};

Candidates candidates_of(const std::vector<MatmulLine>& lines, const MatmulCall& call,
                         const MatmulOptions& options) {
  Candidates result;
  const AddressBits bits = address_bits(call);
  int nearest = -2;
  for (const MatmulLine& line : lines) {
    if (!options.kernel.empty() && options.kernel != line.name) {
      continue;
    }
    const int ctas = line.cluster_ctas();
    for (const bool exchanged : {false, true}) {
      Fit found = fit(line, call, bits, exchanged);
      if (found.obstacle.empty() && options.max_ctas > 0 && options.max_ctas < ctas) {
        found.obstacle = "max_ctas is " + std::to_string(options.max_ctas) +
                         ", less than its cluster of " + std::to_string(ctas);
      }
      if (found.obstacle.empty() && options.splits > 1 && !line.takes_splits()) {
        found.obstacle = "splits are " + split_text(options.splits) +
                         (line.streams_b ? std::string(", and its CTAs share out N, evenly")
                                         : ", and it shares K among the " + std::to_string(ctas) +
                                               " CTAs of its cluster") +
                         ": it takes none";
      }
      if (found.obstacle.empty()) {
        found.task.max_ctas = options.max_ctas;
        result.fitting.push_back({&line, std::move(found)});
      } else if (found.passed > nearest) {
        nearest = found.passed;
        result.obstacle = std::string(line.name) + ": " + found.obstacle;
      }
    }
  }
  return result;
}

std::string names_of(const std::vector<MatmulLine>& lines) {
  std::vector<std::string> names;
  for (const MatmulLine& line : lines) {
    if (std::find(names.begin(), names.end(), line.name) == names.end()) {
      names.emplace_back(line.name);
    }
  }
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : ", ") + name;
  }
  return all;
}

[[noreturn]] void refuse(const std::vector<MatmulLine>& lines, const MatmulOptions& options,
                         const std::string& obstacle) {
  if (!options.kernel.empty() && obstacle.empty()) {
    throw Error("kernel: there is no " + options.kernel + "; there are " + names_of(lines));
  }
  throw Error(options.kernel.empty() ? "no kernel takes the call; the nearest is " + obstacle
                                     : "kernel " + obstacle);
}

struct Best {
  const Candidate* candidate = nullptr;
  MatmulTask task;
  MatmulEstimate estimate{.microseconds = std::numeric_limits<double>::infinity()};
};

/// The raster that moves the fewest bytes; sets it. Of about equals the first candidate.
double choose_raster(const MatmulLine& line, const MatmulOptions& options, int multiprocessors,
                     MatmulTask& task) {
  if (options.raster != 0) {
    task.raster = options.raster;
    return memory_bytes(line, task, multiprocessors);
  }
  const std::int64_t m_tiles = (task.m + line.block_m - 1) / line.block_m;
  double least = std::numeric_limits<double>::infinity();
  int best = 1;
  for (const int raster : raster_candidates) {
    if (raster > 1 && raster >= 2 * m_tiles) {
      continue;
    }
    task.raster = raster;
    const double bytes = memory_bytes(line, task, multiprocessors);
    if (bytes < least * 0.999) {
      least = bytes;
      best = raster;
    }
  }
  task.raster = best;
  return least;
}

/// Sets whether partial sums are added up in any order, and says how long the task then takes.
/// Callers who allow it and name the splits get it; otherwise what is faster.
MatmulEstimate choose_order(const MatmulLine& line, const MatmulOptions& options,
                            int multiprocessors, double bytes, MatmulTask& task) {
  task.any_order = !options.deterministic && task.splits > 2 && line.takes_splits();
  const MatmulEstimate found = estimate(line, task, multiprocessors, bytes);
  if (!task.any_order || options.splits != 0) {
    return found;
  }
  task.any_order = false;
  const MatmulEstimate ordered = estimate(line, task, multiprocessors, bytes);
  task.any_order = found.microseconds < ordered.microseconds;
  return task.any_order ? found : ordered;
}

/// What options leave open.
void consider(const Candidate& candidate, const MatmulOptions& options, int multiprocessors,
              Best& best) {
  const MatmulLine& line = *candidate.line;
  MatmulTask task = candidate.fit.task;
  const double bytes = choose_raster(line, options, multiprocessors, task);
  const std::int64_t k_tiles = (task.k + line.block_k - 1) / line.block_k;
  for (const int splits : split_candidates) {
    task.splits = options.splits != 0 ? options.splits : splits;
    if (task.splits > 1 && options.splits == 0 && (task.splits > k_tiles || !line.takes_splits())) {
      break;
    }
    const MatmulEstimate found = choose_order(line, options, multiprocessors, bytes, task);
    // Of equals the first: a small difference of the model is none.
    if (found.microseconds < best.estimate.microseconds * 0.999) {
      best = {&candidate, task, found};
    }
    if (options.splits != 0) {
      break;
    }
  }
}

MatmulChoice choice_of(const Candidate& candidate, const MatmulTask& task, const std::string& why) {
  return {candidate.line,
          candidate.fit.exchanged,
          task.splits,
          task.any_order,
          task.raster,
          std::string(candidate.line->name) + (candidate.fit.exchanged ? ", exchanged" : "") +
              ", splits " + split_text(task.splits) +
              (task.any_order ? " added in any order" : "") + ", raster " +
              (task.raster == hilbert_raster ? "hilbert" : std::to_string(task.raster)) + ": " +
              why};
}

std::optional<MatmulChoice> measured(const Candidates& candidates, const MatmulCall& call,
                                     const MatmulOptions& options, int multiprocessors) {
  if (!options.kernel.empty() || options.max_ctas > 0) {
    return std::nullopt;
  }
  const auto found = find_measured_choice(call, measured_choices());
  if (!found.has_value()) {
    return std::nullopt;
  }
  const MeasuredChoice& winner = *found->choice;
  for (const Candidate& candidate : candidates.fitting) {
    if (candidate.line->name != std::string(winner.kernel)) {
      continue;
    }
    MatmulTask task = candidate.fit.task;
    task.splits = options.splits != 0 ? options.splits : winner.splits;
    task.raster = options.raster != 0 ? options.raster : winner.raster;
    choose_order(*candidate.line, options, multiprocessors,
                 memory_bytes(*candidate.line, task, multiprocessors), task);
    return choice_of(
        candidate, task,
        std::string(found->exact ? "measured" : "measured for the nearest shape, ") +
            (found->exact ? ""
                          : std::to_string(winner.m) + " x " + std::to_string(winner.n) + " x " +
                                std::to_string(winner.k)));
  }
  return std::nullopt;
}

}  // namespace

MatmulChoice choose_kernel(const std::vector<MatmulLine>& lines, const MatmulCall& call,
                           const MatmulOptions& options, int multiprocessors) {
  const Candidates candidates = candidates_of(lines, call, options);
  if (candidates.fitting.empty()) {
    refuse(lines, options, candidates.obstacle);
  }
  if (std::optional<MatmulChoice> winner = measured(candidates, call, options, multiprocessors)) {
    return *winner;
  }
  Best best;
  // What sums cost within a cluster has not been measured yet: such kernels are taken where they
  // are asked for, where they were measured to win, and where there are no others.
  for (const bool within_cluster : {false, true}) {
    for (const Candidate& candidate : candidates.fitting) {
      if ((candidate.line->cluster_k > 1) == within_cluster) {
        consider(candidate, options, multiprocessors, best);
      }
    }
    if (best.candidate != nullptr) {
      break;
    }
  }
  char expected[64];
  std::snprintf(expected, sizeof expected, "the model expects %.1f us, limited by %s",
                best.estimate.microseconds, best.estimate.limit);
  return choice_of(*best.candidate, best.task, expected);
}

}  // namespace warpline
