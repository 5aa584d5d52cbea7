#include "samples/bench/matmul/sweep.h"

#if WARPLINE_HAS_GPU

#include <algorithm>
#include <deque>
#include <utility>

#include "matmul/splits_and_rasters.h"
#include "warpline/error.h"

namespace bench {

namespace {

/// A candidate in the contest.
struct Entry {
  Candidate candidate;
  Plans plans;
};

class Sweep {
 public:
  Sweep(GpuShape& gpu, const Forced& allowed, const Deadline& deadline)
      : gpu_(&gpu), allowed_(allowed), deadline_(&deadline) {}

  SweepRow run() {
    for (const Forced& how : kernels_and_splits()) {
      try_out(how);
    }
    compete(8);
    if (tiles() > multiprocessors) {
      for (const Forced& how : with_rasters(3)) {
        try_out(how);
      }
      compete(8);
    }
    SweepRow row{.shape = gpu_->shape(),
                 .vendor = gpu_->vendor(),
                 .nondeterministic = allowed_.nondeterministic};
    final_contest(row);
    row.complete = complete_;
    for (const Entry& entry : entries_) {
      row.candidates.push_back(entry.candidate);
    }
    return row;
  }

 private:
  static constexpr double multiprocessors = 132;

  /// Of 128 x 128, whatever the kernels' are.
  double tiles() const {
    const auto of = [](std::int64_t extent) { return static_cast<double>((extent + 127) / 128); };
    return of(gpu_->shape().m) * of(gpu_->shape().n);
  }

  Forced models_choice() const { return {.nondeterministic = allowed_.nondeterministic}; }

  std::vector<Forced> kernels_and_splits() const {
    const std::vector<std::string> names = allowed_.kernel.empty()
                                               ? warpline::matmul_kernel_names()
                                               : std::vector<std::string>{allowed_.kernel};
    std::vector<Forced> ways;
    if (allowed_.kernel.empty()) {
      ways.push_back(models_choice());
    }
    for (const std::string& name : names) {
      for (const int splits : {1, 2, 3, 4, 8, warpline::stream_k}) {
        // Parts of K of a few k tiles, and tiles that do not fill the GPU many times anyway.
        const std::int64_t part =
            splits == warpline::stream_k ? gpu_->shape().k : gpu_->shape().k / splits;
        if (splits == 1 || (part >= 256 && tiles() < 8 * multiprocessors)) {
          ways.push_back({name, splits, 0});
          if (allowed_.nondeterministic && splits > 2) {
            ways.push_back({name, splits, 0, true});
          }
        }
      }
    }
    return ways;
  }

  /// The first `count` entries with each raster.
  std::vector<Forced> with_rasters(std::size_t count) const {
    std::vector<Forced> ways;
    for (const Entry& entry : entries_) {
      const Forced& how = entry.candidate.how;
      if (ways.size() < count * 7 && !how.kernel.empty() && entry.candidate.complaint.empty()) {
        for (const int raster : {1, 2, 4, 8, 16, 32, warpline::hilbert_raster}) {
          ways.push_back({how.kernel, how.splits, raster, how.nondeterministic});
        }
      }
    }
    return ways;
  }

  /// Checks a way and times it by itself: a first idea.
  void try_out(const Forced& how) {
    if (deadline_->passed()) {
      complete_ = false;
      return;
    }
    try {
      // Before the entry: g++ 12 destroys an aggregate's first member twice where the second's
      // initialiser throws.
      Plans plans = gpu_->plans(how);
      Entry& entry = entries_.emplace_back();
      entry.candidate.how = how;
      entry.plans = std::move(plans);
      entry.candidate.choice = entry.plans.choice();
      const auto [complaint, milliseconds] = gpu_->quick_check(entry.plans);
      entry.candidate.complaint = complaint;
      entry.candidate.milliseconds = milliseconds;
      // A long run tells by itself that it is hopeless; a short one may have waited for its code.
      const bool hopeless = milliseconds > 1 && milliseconds > 1.5 * best_;
      if (complaint.empty() && !hopeless) {
        entry.candidate.milliseconds = time({&entry}, 2, milliseconds).front();
        entry.candidate.stages = 1;
        best_ = std::min(best_, entry.candidate.milliseconds);
      } else {
        entry.plans.of_sets.clear();
      }
    } catch (const warpline::Error&) {
      // The kernel does not take the shape, or not so; a GPU that has failed fails here again.
      gpu_->stream().synchronize();
      if (!entries_.empty() && entries_.back().candidate.how == how) {
        entries_.pop_back();
      }
    }
  }

  std::vector<double> time(const std::vector<Entry*>& entries, int heats, double estimate) {
    sample::Contest contest{.contestants = {}, .sets = entries.front()->plans.of_sets.size()};
    for (const Entry* entry : entries) {
      contest.contestants.push_back(gpu_->launch(entry->plans));
    }
    return gpu_->bench().quick(contest, heats, estimate).milliseconds;
  }

  /// Sorted: who got further first, then the faster.
  void sort() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.candidate.stages != b.candidate.stages
                 ? a.candidate.stages > b.candidate.stages
                 : a.candidate.milliseconds < b.candidate.milliseconds;
    });
  }

  /// The fastest that are correct, by what is known so far; those that were not timed are not.
  std::vector<Entry*> fastest(std::size_t count) {
    std::vector<Entry*> all;
    for (Entry& entry : entries_) {
      if (entry.candidate.stages > 0) {
        all.push_back(&entry);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Entry* a, const Entry* b) {
      return a->candidate.milliseconds < b->candidate.milliseconds;
    });
    all.resize(std::min(all.size(), count));
    return all;
  }

  /// The fastest once more, in turns.
  void compete(std::size_t count) {
    const std::vector<Entry*> entries = fastest(count);
    if (entries.empty()) {
      return;
    }
    const std::vector<double> times = time(entries, 4, entries.front()->candidate.milliseconds);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i]->candidate.milliseconds = times[i];
      entries[i]->candidate.stages = 2;
    }
    sort();
  }

  /// The four fastest, the cost model's choice and the vendor's two, cool.
  void final_contest(SweepRow& row) {
    std::vector<Entry*> entries = fastest(4);
    if (entries.empty()) {
      return;
    }
    const auto is_models = [this](const Entry& entry) {
      return entry.candidate.how == models_choice() && entry.candidate.stages > 0;
    };
    const auto models = std::find_if(entries_.begin(), entries_.end(), is_models);
    if (models != entries_.end() &&
        std::find(entries.begin(), entries.end(), &*models) == entries.end()) {
      entries.push_back(&*models);
    }
    sample::Contest contest{.contestants = {}, .sets = entries.front()->plans.of_sets.size()};
    for (const Entry* entry : entries) {
      contest.contestants.push_back(gpu_->launch(entry->plans));
    }
    for (sample::Launch& vendor : gpu_->vendor_launches()) {
      contest.contestants.push_back(std::move(vendor));
    }
    const int heats = gpu_->bench().heats_within(20, contest, 6);
    const sample::Timing timing =
        gpu_->bench().cool(contest, 12, {.rest = std::chrono::milliseconds(50), .heats = heats});
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i]->candidate.milliseconds = timing.milliseconds[i];
      entries[i]->candidate.stages = 3;
      if (is_models(*entries[i])) {
        row.chosen = entries[i]->candidate;
      }
    }
    if (contest.contestants.size() > entries.size()) {
      row.default_milliseconds = timing.milliseconds[entries.size()];
      row.best_milliseconds = timing.milliseconds.back();
    }
    sort();
  }

  GpuShape* gpu_;
  Forced allowed_;
  const Deadline* deadline_;
  /// Plans do not move while they are in a contest.
  std::deque<Entry> entries_;
  double best_ = 1e30;
  bool complete_ = true;
};

}  // namespace

SweepRow sweep(GpuShape& gpu, const Shape& shape, const Forced& allowed, const Deadline& deadline) {
  gpu.take(shape);
  gpu.prepare_vendor();
  return Sweep(gpu, allowed, deadline).run();
}

}  // namespace bench

#endif
