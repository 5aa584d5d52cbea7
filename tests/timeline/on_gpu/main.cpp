// What recording costs, and what it shows, on a GPU:
//
//   warpline_timeline_on_gpu [--kernel NAME]... [--size 4096] [--pairs 50] [--burst 6] [--rest 50]
//                            [--sms 2] [--json FILE] [--folder FOLDER]
//
// Times each kernel as it is, compiled with timelines, and recorded: in turns, a burst of launches
// after a rest each, and prints the medians of the ratios within a turn. With --folder it then
// records each once, prints its summary, and writes FOLDER/NAME.{json,html,svg}. The status is 1 if
// recording slows the flagship down by 3 % or more, or a recorded product is wrong.
#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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
  int pairs = 50;
  int burst = 6;
  int rest_milliseconds = 50;
  std::uint32_t sms = 2;
  std::vector<std::string> kernels;
  std::string json;
  std::string folder;
};

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

enum class Way { plain, idle, recorded };

class Bench {
 public:
  explicit Bench(const Wanted& wanted)
      : wanted_(wanted),
        a_(sample::random_matrix(wanted.size, wanted.size, 1)),
        b_(sample::random_matrix(wanted.size, wanted.size, 2)),
        c_(wanted.size, wanted.size),
        operands_(a_, b_, c_, false) {}

  /// Milliseconds a launch, of a burst after a rest. What is recorded is emptied before.
  double time(std::size_t kernel, Way way) {
    const warpline::MatmulPlan plan = plan_of(kernel, way != Way::plain);
    forget();
    stream_.synchronize();
    std::this_thread::sleep_for(std::chrono::milliseconds(wanted_.rest_milliseconds));
    sample::GpuEvent before;
    sample::GpuEvent after;
    before.record(stream_);
    for (int i = 0; i < wanted_.burst; ++i) {
      if (way == Way::recorded) {
        record_next();
      }
      plan.run({.stream = stream_.handle()});
    }
    after.record(stream_);
    after.wait();
    return after.milliseconds_since(before) / wanted_.burst;
  }

  /// Runs once and says whether the product is right.
  timeline::Trace record(std::size_t kernel, bool& right) {
    if (!reference_) {
      reference_.emplace(a_, b_, 1);
    }
    const warpline::MatmulPlan plan = plan_of(kernel, true);
    c_.poison();
    operands_.upload_c(c_);
    begin(wanted_.sms);
    record_next();
    plan.run({.stream = stream_.handle()});
    timeline::Trace trace = end(stream_.handle());
    operands_.download_c(c_);
    const warpline::MatmulKernel line = traced_kernels()[kernel];
    sample::Result result;
    result.kernel = &line;
    result.size = {wanted_.size, wanted_.size, wanted_.size};
    sample::judge(c_, *reference_, nullptr, result);
    right = result.correct.value_or(false);
    return trace;
  }

 private:
  warpline::MatmulPlan plan_of(std::size_t kernel, bool traced) {
    warpline::MatmulProblem problem = operands_.problem(0);
    problem.raster = rasters[kernel];
    return {(traced ? traced_kernels() : plain_kernels())[kernel], problem};
  }

  Wanted wanted_;
  sample::Matrix a_;
  sample::Matrix b_;
  sample::Output c_;
  sample::GpuOperands operands_;
  std::optional<sample::Reference> reference_;
  sample::GpuStream stream_;
};

/// How much slower recording makes it: 0.01 is 1 %.
double slow_down(Bench& bench, std::size_t kernel, const Wanted& wanted, nlohmann::json& found) {
  constexpr Way ways[] = {Way::plain, Way::idle, Way::recorded};
  std::vector<double> plain;
  std::vector<double> ratios[3];
  begin(wanted.sms);
  for (int pair = -3; pair < wanted.pairs; ++pair) {
    double times[3];
    for (int i = 0; i < 3; ++i) {  // whoever comes first in one turn comes last in another
      const int way = (i + pair + 3) % 3;
      times[way] = bench.time(kernel, ways[way]);
    }
    if (pair >= 0) {  // the first ones warm up
      plain.push_back(times[0]);
      ratios[1].push_back(times[1] / times[0]);
      ratios[2].push_back(times[2] / times[0]);
    }
  }
  discard();
  const auto slower = [&](int way, double part) { return quantile(ratios[way], part) - 1; };
  const auto words = [&](int way) {
    return fmt::format("{:+.2f} % ({:+.2f} to {:+.2f})", slower(way, 0.5) * 100,
                       slower(way, 0.25) * 100, slower(way, 0.75) * 100);
  };
  fmt::print("{:<12} {:8.4f} ms; compiled with timelines {}; recorded {}\n", names[kernel],
             quantile(plain, 0.5), words(1), words(2));
  std::fflush(stdout);
  found.push_back({{"kernel", names[kernel]},
                   {"size", wanted.size},
                   {"pairs", wanted.pairs},
                   {"milliseconds", quantile(plain, 0.5)},
                   {"idle", slower(1, 0.5)},
                   {"recorded", slower(2, 0.5)},
                   {"recorded_quartiles", {slower(2, 0.25), slower(2, 0.75)}}});
  return slower(2, 0.5);
}

void write_json(const std::string& path, const nlohmann::json& found) {
  if (!path.empty()) {
    std::ofstream(path) << found.dump(1) << '\n';
  }
}

int run(const Wanted& wanted) {
  if (const std::string why = sample::why_no_gpu(); !why.empty()) {
    fmt::print("skipped: {}\n", why);
    return 4;
  }
  constexpr std::size_t flagship = 5;
  std::vector<std::size_t> chosen;
  for (std::size_t kernel = 0; kernel <= flagship; ++kernel) {
    if (wanted.kernels.empty() ||
        std::count(wanted.kernels.begin(), wanted.kernels.end(), std::string(names[kernel])) != 0) {
      chosen.push_back(kernel);
    }
  }
  Bench bench(wanted);
  bool good = true;
  fmt::print(
      "M = N = K = {}, {} turns of {} launches, CTAs of {} SMs recorded; median (quartiles)\n",
      wanted.size, wanted.pairs, wanted.burst, wanted.sms);
  nlohmann::json found = nlohmann::json::array();
  for (const std::size_t kernel : chosen) {
    const double slower = slow_down(bench, kernel, wanted, found);
    good = good && (kernel != flagship || slower < 0.03);
    write_json(wanted.json, found);
  }
  for (const std::size_t kernel : chosen) {
    if (wanted.folder.empty()) {
      break;
    }
    bool right = false;
    timeline::Trace trace = bench.record(kernel, right);
    good = good && right;
    timeline::resolve(trace);
    fmt::print("\n{}: {}\n{}", names[kernel], right ? "right" : "WRONG",
               timeline::to_text(timeline::summarize(trace)));
    for (const char* ending : {"json", "html", "svg"}) {
      timeline::write_file(trace, fmt::format("{}/{}.{}", wanted.folder, names[kernel], ending));
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
  app.add_option("--kernel", wanted.kernels, "v1 to v5, cooperative; all if left out")
      ->check(CLI::IsMember({"v1", "v2", "v3", "v4", "v5", "cooperative"}));
  app.add_option("--size", wanted.size, "M = N = K")->check(CLI::Range(128, 32768));
  app.add_option("--pairs", wanted.pairs, "Turns")->check(CLI::Range(1, 10000));
  app.add_option("--burst", wanted.burst, "Launches of each kind in a turn")
      ->check(CLI::Range(1, 1000));
  app.add_option("--rest", wanted.rest_milliseconds, "Milliseconds before each burst")
      ->check(CLI::Range(0, 10000));
  app.add_option("--sms", wanted.sms, "SMs whose CTAs are recorded")->check(CLI::Range(1, 1024));
  app.add_option("--json", wanted.json, "Where the ratios are written");
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
