#include <fmt/core.h>

#include <algorithm>

#include "samples/bench/matmul/gpu_shape.h"
#include "samples/bench/matmul/sweep.h"
#include "warpline/error.h"

#if WARPLINE_HAS_GPU

namespace bench {

namespace {

using sample::Timing;

/// Contestants: ours, the vendor's default, its best if that is another.
RowSpeed row_speed(const Timing& timing) {
  RowSpeed speed{.milliseconds = timing.milliseconds.front(),
                 .sm_clock_mhz = timing.sm_clock_mhz,
                 .pairs = timing.heats};
  if (timing.milliseconds.size() > 1) {
    speed.default_milliseconds = timing.milliseconds[1];
    speed.ratio_to_default = timing.ratios[1];
    speed.best_milliseconds = timing.milliseconds.back();
    speed.ratio_to_best = timing.ratios.back();
  }
  return speed;
}

class GpuRunner : public MatmulRunner {
 public:
  GpuRunner(const MatmulCommand& command, const std::vector<Shape>& shapes)
      : command_(command), gpu_(command.seed, shapes) {}

  bool timed() const override { return true; }

  std::vector<std::string> notes() const override {
    const std::string& why = gpu_.why_no_vendor();
    return why.empty() ? std::vector<std::string>{}
                       : std::vector<std::string>{"not compared with cuBLAS: " + why};
  }

  std::string explain(const Shape& shape) override {
    gpu_.take(shape);
    return gpu_.plans(command_.forced).choice();
  }

  Row measure(const Shape& shape) override {
    Row row{.shape = shape, .forced = command_.forced};
    try {
      gpu_.take(shape);
      gpu_.prepare_vendor();
      row.vendor = gpu_.vendor();
      if (!row.vendor.empty()) {
        row.vendor_best = gpu_.vendor_best();
      }
      const Plans plans = gpu_.plans(command_.forced);
      row.choice = plans.choice();
      gpu_.check(plans, row);
      if (row.correct) {
        time(plans, row);
      }
      if (command_.place.trace.wanted()) {
        trace(plans);
      }
    } catch (const warpline::Error& error) {
      row.correct = false;
      row.complaint = error.what();
    }
    return row;
  }

  void require_alive() override { gpu_.stream().synchronize(); }

  SweepRow sweep(const Shape& shape, const Deadline& deadline) override {
    return bench::sweep(gpu_, shape, command_.forced, deadline);
  }

 private:
  void time(const Plans& plans, Row& row) {
    sample::Contest contest{.contestants = {gpu_.launch(plans)}, .sets = plans.of_sets.size()};
    for (sample::Launch& vendor : gpu_.vendor_launches()) {
      contest.contestants.push_back(std::move(vendor));
    }
    constexpr double burst_milliseconds = 10;
    const sample::Bursts bursts{
        .rest = std::chrono::milliseconds(static_cast<int>(command_.rest * 1e3)),
        .heats = gpu_.bench().heats_within(burst_milliseconds, contest, 10)};
    row.cool = row_speed(gpu_.bench().cool(contest, command_.pairs, bursts));
    if (command_.sustained > 0) {
      row.sustained =
          row_speed(gpu_.bench().sustained(contest, command_.pairs, command_.sustained));
    }
  }

  void trace(const Plans& plans) {
    const sample::TraceOptions& options = command_.place.trace;
    warpline::begin_gpu_timeline(
        options.multiprocessors == 0 ? 2U : static_cast<std::uint32_t>(options.multiprocessors));
    gpu_.launch(plans)(0);
    sample::report_trace(options, warpline::end_gpu_timeline({.stream = gpu_.stream().handle()}));
  }

  MatmulCommand command_;
  GpuShape gpu_;
};

}  // namespace

std::unique_ptr<MatmulRunner> make_gpu_runner(const MatmulCommand& command,
                                              const std::vector<Shape>& shapes) {
  return std::make_unique<GpuRunner>(command, shapes);
}

}  // namespace bench

#endif
