#include "runner.h"

#if WARPLINE_HAS_GPU

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "bench.h"
#include "vendor.h"
#include "warpline/error.h"

namespace sample {

namespace {

using warpline::MatmulKernel;
using warpline::MatmulPlan;
using warpline::MatmulProblem;

/// Operands together larger than this do not stay in the L2 cache (60 MB).
constexpr std::size_t uncached_bytes = 180'000'000;
constexpr std::size_t max_sets = 256;
constexpr std::size_t workspace_bytes = std::size_t{64} << 20;

/// A, B and C with its guards, one behind the other in GPU memory.
struct OperandLayout {
  std::size_t b;
  std::size_t c;
  std::size_t total;
};

OperandLayout layout_of(const Matrix& a, const Matrix& b, const Output& c) {
  const auto aligned = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const std::size_t b_begin = aligned(a.bytes());
  const std::size_t c_begin = b_begin + aligned(b.bytes());
  return {b_begin, c_begin, c_begin + aligned(c.image_bytes())};
}

class GpuRunner : public Runner {
 public:
  explicit GpuRunner(const Job& job)
      : job_(job),
        facts_(gpu_facts()),
        a_(random_matrix(job.size.m, job.size.k, job.seed)),
        b_(random_matrix(job.size.n, job.size.k, job.seed + 1)),
        c_(job.size.m, job.size.n),
        layout_(layout_of(a_, b_, c_)),
        sets_(choose_sets()),
        memory_(layout_.total * sets_, "A, B and C"),
        clock_(facts_.bus_id) {
    empty_ = job.size.m == 0 || job.size.n == 0 || job.size.k == 0;
    memory_.upload(0, a_.elements.data(), a_.bytes());
    memory_.upload(layout_.b, b_.elements.data(), b_.bytes());
    for (std::size_t set = 1; set < sets_; ++set) {
      memory_.duplicate(set * layout_.total, 0, layout_.c);
    }
    if (job.check) {
      reference_.emplace(a_, b_, job.seed);
    }
    if (job.bench) {
      bench_.emplace(stream_, clock_);
    }
    if (!empty_ && (job.check || job.bench)) {
      open_vendor();
    }
    if (vendor_ && job.check) {
      vendor_c_.emplace(job.size.m, job.size.n);
      memory_.upload(layout_.c, vendor_c_->image(), vendor_c_->image_bytes());
      vendor_->matmul(problem(0), stream_.handle());
      stream_.synchronize();
      memory_.download(vendor_c_->image(), layout_.c, vendor_c_->image_bytes());
    }
  }

  std::string place() const override { return facts_.name; }

  std::vector<std::string> notes() const override { return notes_; }

  Result run(const MatmulKernel& kernel) override {
    Result result;
    result.kernel = &kernel;
    result.size = job_.size;
    result.on_gpu = true;
    result.vendor_name = vendor_ ? vendor_->name() : "";
    std::vector<MatmulPlan> plans;
    for (std::size_t set = 0; set < sets_; ++set) {
      plans.emplace_back(kernel, problem(set));
    }
    const auto launch = [&](std::size_t set) { plans[set].run({.stream = stream_.handle()}); };

    c_.poison();
    memory_.upload(layout_.c, c_.image(), c_.image_bytes());
    launch(0);
    warpline::synchronize_gpu_matmuls({.stream = stream_.handle()});
    if (job_.check) {
      memory_.download(c_.image(), layout_.c, c_.image_bytes());
      judge(c_, *reference_, vendor_c_ ? &*vendor_c_ : nullptr, result);
    }
    if (job_.bench && !empty_ && result.correct.value_or(true)) {
      Contest contest{.ours = launch, .theirs = {}, .sets = sets_};
      if (vendor_) {
        contest.theirs = [this](std::size_t set) {
          vendor_->matmul(problem(set), stream_.handle());
        };
      }
      result.cool = bench_->cool(contest, job_.pairs);
      result.sustained = bench_->sustained(contest, job_.pairs, job_.load_seconds);
    }
    return result;
  }

 private:
  /// Enough copies of the operands that using them in turn defeats the cache.
  std::size_t choose_sets() const {
    if (!job_.bench) {
      return 1;
    }
    const std::size_t wanted = std::min(uncached_bytes / layout_.total + 1, max_sets);
    return std::clamp<std::size_t>(facts_.free_bytes / 2 / layout_.total, 1, wanted);
  }

  MatmulProblem problem(std::size_t set) const {
    const std::size_t begin = set * layout_.total;
    return {.a = memory_.at(begin),
            .b = memory_.at(begin + layout_.b),
            .c = memory_.at(begin + layout_.c + Output::guard_bytes),
            .m = job_.size.m,
            .n = job_.size.n,
            .k = job_.size.k,
            .a_stride = a_.stride,
            .b_stride = b_.stride,
            .c_stride = c_.stride()};
  }

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
      }
    } catch (const warpline::Error& error) {
      why_not = error.what();
      vendor_.reset();
    }
    if (!vendor_) {
      notes_.push_back("not compared with cuBLAS: " + why_not);
    }
  }

  void choose_best_candidate() {
    const int candidates = vendor_->prepare(problem(0));
    if (candidates == 1) {
      return;
    }
    int best = -1;
    double best_milliseconds = 0;
    for (int candidate = 0; candidate < candidates; ++candidate) {
      vendor_->choose(candidate);
      try {
        const Launch launch = [&](std::size_t set) {
          vendor_->matmul(problem(set), stream_.handle());
        };
        const double milliseconds = milliseconds_of(launch, stream_);
        if (best < 0 || milliseconds < best_milliseconds) {
          best = candidate;
          best_milliseconds = milliseconds;
        }
      } catch (const warpline::Error&) {
        continue;  // a suggestion may turn out not to run
      }
    }
    if (best < 0) {
      throw warpline::Error("none of its suggestions runs");
    }
    vendor_->choose(best);
  }

  Job job_;
  GpuFacts facts_;
  bool empty_ = false;
  Matrix a_;
  Matrix b_;
  Output c_;
  OperandLayout layout_;
  std::size_t sets_;
  DeviceMemory memory_;
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
