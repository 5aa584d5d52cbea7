#include "samples/ladder/gpu_measure.h"

#if WARPLINE_HAS_GPU

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "warpline/error.h"

namespace ladder {

using warpline::tuner::Outcome;

namespace {

/// One timing lasts at least this long: events cost microseconds.
constexpr double least_milliseconds = 0.4;
constexpr int most_launches = 64;
constexpr std::size_t scratch_bytes = std::size_t{256} << 20;
/// Of a group of six timings, which take about 10 ms of work: the chip stays below its power limit.
/// (--bench rests 250 ms; surveys with 60 ms ranked candidates alike, docs/measurements.md.)
constexpr std::chrono::milliseconds cool_rest(60);

}  // namespace

TuningProblem::TuningProblem(const sample::Size& size, std::uint64_t seed)
    : a_(sample::random_matrix(size.m, size.k, seed)),
      b_(sample::random_matrix(size.n, size.k, seed + 1)),
      c_(size.m, size.n),
      reference_(a_, b_, seed),
      operands_(a_, b_, c_, true),
      pristine_(c_.image_bytes(), "a copy of C"),
      scratch_(scratch_bytes, "tuning") {
  pristine_.upload(0, c_.image(), c_.image_bytes());
}

GpuMeasure::GpuMeasure(TuningProblem& problem, const std::vector<Candidate>& candidates, Load load)
    : problem_(&problem), candidates_(&candidates), load_(load), ready_(candidates.size()) {}

bool GpuMeasure::rest() {
  if (load_ != Load::cool) {
    return false;
  }
  problem_->stream_.synchronize();
  std::this_thread::sleep_for(cool_rest);
  return true;
}

double GpuMeasure::seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string GpuMeasure::name_of(std::size_t candidate) const {
  const Candidate& it = (*candidates_)[candidate];
  return fmt::format("{} ({})", it.kernel->name, to_string(it));
}

void GpuMeasure::launch(const Ready& ready) {
  ready.plans[problem_->next_set_++ % ready.plans.size()].run(
      {.stream = problem_->stream_.handle()});
}

double GpuMeasure::time_launches(const Ready& ready, int launches) {
  // No launch shall wait for the host, which takes less than 10 microseconds for each, while this
  // takes the GPU more than 60.
  for (int i = 0; i < 1 + launches / 6; ++i) {
    problem_->stream_.fill(problem_->scratch_.at(0), scratch_bytes);
  }
  begin_.record(problem_->stream_);
  for (int i = 0; i < launches; ++i) {
    launch(ready);
  }
  end_.record(problem_->stream_);
  end_.wait();
  return end_.milliseconds_since(begin_) / launches;
}

Outcome GpuMeasure::check(std::size_t candidate) {
  const Candidate& it = (*candidates_)[candidate];
  Ready& ready = ready_[candidate];
  sample::Output& c = problem_->c_;
  try {
    for (std::size_t set = 0; set < problem_->operands_.sets(); ++set) {
      warpline::MatmulProblem problem = problem_->operands_.problem(set);
      problem.raster = it.raster;
      ready.plans.emplace_back(*it.kernel, problem);
    }
    problem_->operands_.copy_c(problem_->pristine_, c);
    ready.plans.front().run({.stream = problem_->stream_.handle()});
    warpline::synchronize_gpu_matmuls({.stream = problem_->stream_.handle()});
    problem_->operands_.download_rows(c, problem_->reference_.row_numbers());
    // The check's own launch loaded the code; this one is warm.
    const double milliseconds = time_launches(ready, 1);
    ready.launches =
        std::clamp(static_cast<int>(std::ceil(least_milliseconds / std::max(milliseconds, 1e-3))),
                   1, most_launches);
  } catch (const warpline::Error& error) {
    try {
      problem_->stream_.synchronize();
    } catch (const warpline::Error& after) {
      throw warpline::Error(fmt::format("after {}: {}", name_of(candidate), after.what()));
    }
    return {.state = Outcome::State::failed, .why = error.what()};
  }
  const double error = problem_->reference_.relative_error(c);
  if (!(error < sample::error_limit)) {
    return {.state = Outcome::State::wrong,
            .why = fmt::format("its relative error against fp64 is {:.2e}", error)};
  }
  return {};
}

Outcome GpuMeasure::time(std::size_t candidate) {
  const Ready& ready = ready_[candidate];
  try {
    return {.milliseconds = time_launches(ready, ready.launches)};
  } catch (const warpline::Error& error) {
    throw warpline::Error(fmt::format("while timing {}: {}", name_of(candidate), error.what()));
  }
}

}  // namespace ladder

#endif
