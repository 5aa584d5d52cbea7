#include "samples/support/runner.h"

#if WARPLINE_HAS_GPU

#include <fmt/core.h>

#include <optional>

#include "samples/support/bench.h"
#include "samples/support/gpu_operands.h"
#include "samples/support/vendor.h"
#include "warpline/error.h"

namespace sample {

namespace {

using warpline::MatmulKernel;
using warpline::MatmulPlan;

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;

class GpuRunner : public Runner {
 public:
  explicit GpuRunner(const Job& job)
      : job_(job),
        empty_(job.size.m == 0 || job.size.n == 0 || job.size.k == 0),
        facts_(gpu_facts()),
        a_(random_matrix(job.size.m, job.size.k, job.seed)),
        b_(random_matrix(job.size.n, job.size.k, job.seed + 1)),
        c_(job.size.m, job.size.n),
        operands_(a_, b_, c_, job.bench),
        clock_(facts_.bus_id) {
    if (job.check) {
      reference_.emplace(a_, b_, job.seed);
    }
    if (job.bench) {
      bench_.emplace(stream_, clock_);
    }
    if (!empty_ && (job.check || job.bench)) {
      open_vendor();
    }
  }

  std::string place() const override { return facts_.name; }

  std::vector<std::string> notes() const override { return notes_; }

  Result run(const MatmulKernel& kernel, int raster) override {
    Result result;
    result.kernel = &kernel;
    result.size = job_.size;
    result.on_gpu = true;
    result.vendor_name = vendor_ ? vendor_->name() : "";
    std::vector<MatmulPlan> plans;
    for (std::size_t set = 0; set < operands_.sets(); ++set) {
      warpline::MatmulProblem problem = operands_.problem(set);
      problem.raster = raster;
      plans.emplace_back(kernel, problem);
    }
    const auto launch = [&](std::size_t set) { plans[set].run({.stream = stream_.handle()}); };

    c_.poison();
    operands_.upload_c(c_);
    launch(0);
    warpline::synchronize_gpu_matmuls({.stream = stream_.handle()});
    if (reference_) {
      operands_.download_c(c_);
      judge(c_, *reference_, vendor_c_ ? &*vendor_c_ : nullptr, result);
    }
    if (job_.trace.wanted()) {
      warpline::begin_gpu_timeline(job_.trace.multiprocessors == 0
                                       ? 2u
                                       : static_cast<std::uint32_t>(job_.trace.multiprocessors));
      launch(0);
      report_trace(job_.trace, warpline::end_gpu_timeline({.stream = stream_.handle()}));
    }
    if (bench_ && !empty_ && result.correct.value_or(true)) {
      Contest contest{.contestants = {launch}, .sets = operands_.sets()};
      if (vendor_) {
        contest.contestants.push_back(vendor_launch());
      }
      result.cool = speed_of(bench_->cool(contest, job_.pairs));
      if (job_.sustained) {
        result.sustained = speed_of(bench_->sustained(contest, job_.pairs, job_.load_seconds));
      }
    }
    return result;
  }

 private:
  void open_vendor() {
    std::string why_not;
    try {
      if (job_.vendor_lt) {
        workspace_.emplace(workspace_bytes, "cublasLt");
        vendor_ = open_cublas_lt({workspace_->at(0), workspace_bytes}, why_not);
      } else {
        vendor_ = open_cublas(why_not);
      }
      if (vendor_) {
        choose_best_candidate();
        run_vendor();
      }
    } catch (const warpline::Error& error) {
      why_not = error.what();
      vendor_.reset();
      vendor_c_.reset();
    }
    if (!vendor_) {
      notes_.push_back("not compared with cuBLAS: " + why_not);
    }
  }

  void run_vendor() {
    if (!job_.check) {
      return;
    }
    vendor_c_.emplace(job_.size.m, job_.size.n);
    operands_.upload_c(*vendor_c_);
    vendor_->matmul(operands_.problem(0), stream_.handle());
    stream_.synchronize();
    operands_.download_c(*vendor_c_);
  }

  Launch vendor_launch() {
    return [this](std::size_t set) { vendor_->matmul(operands_.problem(set), stream_.handle()); };
  }

  void choose_best_candidate() {
    const int candidates = vendor_->prepare(operands_.problem(0), warpline::ElementType::fp16);
    if (candidates == 1 || !bench_) {
      return;
    }
    const Contest contest{.contestants = {vendor_launch()}, .sets = operands_.sets()};
    const int best = fastest_candidate(*vendor_, candidates, contest, *bench_, stream_);
    if (best < 0) {
      throw warpline::Error("none of its suggestions runs");
    }
    vendor_->choose(best);
  }

  Job job_;
  bool empty_;
  GpuFacts facts_;
  Matrix a_;
  Matrix b_;
  Output c_;
  GpuOperands operands_;
  SmClock clock_;
  GpuStream stream_;
  std::optional<Reference> reference_;
  std::optional<Bench> bench_;
  std::optional<DeviceMemory> workspace_;
  std::unique_ptr<Vendor> vendor_;
  std::optional<Output> vendor_c_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Runner> make_gpu_runner(const Job& job) { return std::make_unique<GpuRunner>(job); }

}  // namespace sample

#endif
