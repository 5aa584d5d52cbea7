// Candidates timed on the GPU by events, for the tuner.
#pragma once

#include <optional>
#include <vector>

#include "samples/ladder/candidates.h"
#include "samples/ladder/command_line.h"
#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include "samples/support/gpu_operands.h"
#include "samples/support/reference.h"
#include "tuner/measure.h"

namespace ladder {

/// Operands and expected result of one problem. Made once for all versions.
class TuningProblem {
 public:
  TuningProblem(const sample::Size& size, std::uint64_t seed);

 private:
  friend class GpuMeasure;
  sample::Matrix a_;
  sample::Matrix b_;
  sample::Output c_;
  sample::Reference reference_;
  /// As many copies as it takes to find none in the L2 cache.
  sample::GpuOperands operands_;
  /// C as it is before a kernel ran.
  sample::DeviceMemory pristine_;
  /// Work that keeps the GPU busy while the host queues short launches.
  sample::DeviceMemory scratch_;
  sample::GpuStream stream_;
  std::size_t next_set_ = 0;
};

class GpuMeasure : public warpline::tuner::Measure {
 public:
  /// Both must outlive it.
  GpuMeasure(TuningProblem& problem, const std::vector<Candidate>& candidates, Load load);

  /// Compares some rows with fp64. Throws Error if the GPU cannot be used any more.
  warpline::tuner::Outcome check(std::size_t candidate) override;
  /// Load::cool: so that a group of timings is a burst as --bench has them.
  bool rest() override;
  warpline::tuner::Outcome time(std::size_t candidate) override;
  double seconds() override;

 private:
  struct Ready {
    std::vector<warpline::MatmulPlan> plans;
    int launches = 1;
  };
  /// Milliseconds of one launch out of `launches`.
  double time_launches(const Ready& ready, int launches);
  void launch(const Ready& ready);
  std::string name_of(std::size_t candidate) const;

  TuningProblem* problem_;
  const std::vector<Candidate>* candidates_;
  Load load_;
  std::vector<Ready> ready_;
  sample::GpuEvent begin_;
  sample::GpuEvent end_;
};

}  // namespace ladder

#endif
