// What recording costs, and what it shows, on a GPU:
//
//   warpline_timeline_on_gpu [--size 4096] [--pairs 30] [--sms 2] [--folder FOLDER]
//
// Times each kernel with and without recording, in turns, and prints the ratio of the medians. Then
// records each once, prints its summary, and writes FOLDER/NAME.{json,html,svg}. The status is 1 if
// recording slows the flagship down by 3 % or more, or a recorded product is wrong.
#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "samples/support/gpu.h"
#include "samples/support/gpu_operands.h"
#include "samples/support/matrix.h"
#include "samples/support/reference.h"
#include "samples/support/result.h"
#include "tests/timeline/on_gpu/kernels.h"
#include "timeline/resolve.h"
#include "timeline/write.h"
#include "warpline/error.h"

namespace timeline_on_gpu {

namespace {

namespace timeline = warpline::timeline;

struct Wanted {
  std::int64_t size = 4096;
  int pairs = 30;
  std::uint32_t sms = 2;
  std::string folder;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Bench {
 public:
  explicit Bench(const Wanted& wanted)
      : wanted_(wanted),
        a_(sample::random_matrix(wanted.size, wanted.size, 1)),
        b_(sample::random_matrix(wanted.size, wanted.size, 2)),
        c_(wanted.size, wanted.size),
        operands_(a_, b_, c_, false),
        reference_(a_, b_, 1) {}

  /// Milliseconds; recorded if `sms` is not 0.
  double time(const warpline::MatmulKernel& kernel, int raster, std::uint32_t sms) {
    const warpline::MatmulPlan plan = plan_of(kernel, raster);
    if (sms != 0) {
      begin(sms);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    sample::GpuEvent before;
    sample::GpuEvent after;
    before.record(stream_);
    plan.run({.stream = stream_.handle()});
    after.record(stream_);
    after.wait();
    if (sms != 0) {
      end(stream_.handle());
    }
    return after.milliseconds_since(before);
  }

  /// Runs once and says whether the product is right.
  timeline::Trace record(const warpline::MatmulKernel& kernel, int raster, bool& right) {
    const warpline::MatmulPlan plan = plan_of(kernel, raster);
    c_.poison();
    operands_.upload_c(c_);
    begin(wanted_.sms);
    plan.run({.stream = stream_.handle()});
    timeline::Trace trace = end(stream_.handle());
    operands_.download_c(c_);
    sample::Result result;
    result.kernel = &kernel;
    result.size = {wanted_.size, wanted_.size, wanted_.size};
    sample::judge(c_, reference_, nullptr, result);
    right = result.correct.value_or(false);
    return trace;
  }

 private:
  warpline::MatmulPlan plan_of(const warpline::MatmulKernel& kernel, int raster) {
    warpline::MatmulProblem problem = operands_.problem(0);
    problem.raster = raster;
    return {kernel, problem};
  }

  Wanted wanted_;
  sample::Matrix a_;
  sample::Matrix b_;
  sample::Output c_;
  sample::GpuOperands operands_;
  sample::Reference reference_;
  sample::GpuStream stream_;
};

/// How much slower recording makes it: 0.01 is 1 %.
double slow_down(Bench& bench, std::size_t kernel, const Wanted& wanted) {
  const warpline::MatmulKernel plain = plain_kernels()[kernel];
  const warpline::MatmulKernel traced = traced_kernels()[kernel];
  std::vector<double> without;
  std::vector<double> idle;
  std::vector<double> with;
  for (int pair = -3; pair < wanted.pairs; ++pair) {
    const double times[] = {bench.time(plain, rasters[kernel], 0),
                            bench.time(traced, rasters[kernel], 0),
                            bench.time(traced, rasters[kernel], wanted.sms)};
    if (pair >= 0) {  // the first ones warm up
      without.push_back(times[0]);
      idle.push_back(times[1]);
      with.push_back(times[2]);
    }
  }
  const double base = median(without);
  fmt::print(
      "{:<12} {:8.4f} ms; compiled with timelines, none recorded {:+.2f} %; recorded "
      "{:+.2f} %\n",
      names[kernel], base, (median(idle) / base - 1) * 100, (median(with) / base - 1) * 100);
  std::fflush(stdout);
  return median(with) / base - 1;
}

int run(const Wanted& wanted) {
  if (const std::string why = sample::why_no_gpu(); !why.empty()) {
    fmt::print("skipped: {}\n", why);
    return 4;
  }
  Bench bench(wanted);
  bool good = true;
  fmt::print("M = N = K = {}, medians of {}, CTAs of {} SMs recorded\n", wanted.size, wanted.pairs,
             wanted.sms);
  constexpr std::size_t flagship = 5;
  for (std::size_t kernel = 0; kernel <= flagship; ++kernel) {
    const double slower = slow_down(bench, kernel, wanted);
    good = good && (kernel != flagship || slower < 0.03);
  }
  for (std::size_t kernel = 0; kernel <= flagship; ++kernel) {
    bool right = false;
    timeline::Trace trace = bench.record(traced_kernels()[kernel], rasters[kernel], right);
    good = good && right;
    timeline::resolve(trace);
    fmt::print("\n{}: {}\n{}", names[kernel], right ? "right" : "WRONG",
               timeline::to_text(timeline::summarize(trace)));
    if (!wanted.folder.empty()) {
      for (const char* ending : {"json", "html", "svg"}) {
        timeline::write_file(trace, fmt::format("{}/{}.{}", wanted.folder, names[kernel], ending));
      }
    }
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

}  // namespace

}  // namespace timeline_on_gpu

int main(int argc, char** argv) {
  CLI::App app("What a timeline costs and shows on a GPU");
  timeline_on_gpu::Wanted wanted;
  app.add_option("--size", wanted.size, "M = N = K")->check(CLI::Range(128, 32768));
  app.add_option("--pairs", wanted.pairs, "Timings of each kind")->check(CLI::Range(1, 10000));
  app.add_option("--sms", wanted.sms, "SMs whose CTAs are recorded")->check(CLI::Range(1, 1024));
  app.add_option("--folder", wanted.folder, "Where the timelines are written")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  try {
    return timeline_on_gpu::run(wanted);
  } catch (const std::exception& error) {
    fmt::print(stderr, "timeline_on_gpu: {}\n", error.what());
    return 1;
  }
}
