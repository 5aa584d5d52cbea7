// Scales an array with the kernel of scale.h: on the simulator, then on the GPU if there is one.
#include <exception>
#include <iostream>
#include <utility>
#include <vector>

#include "samples/support/timeline.h"
#include "scale.h"
#include "warpline/trace_session.h"

namespace pipeline_alone {

#if WARPLINE_HAS_GPU
/// `trace`: null, or where the kernel's timeline goes.
std::vector<float> scale_on_gpu(const std::vector<float>& in, float factor,
                                warpline::timeline::Trace* trace);
#endif

std::vector<float> scale_on_simulator(const std::vector<float>& in, float factor) {
  std::vector<float> out(in.size());
  const auto count = static_cast<int64_t>(in.size());
  warpline::launch<Scale>({}, {8, 1, 1}, {in.data(), out.data(), count, factor});
  return out;
}

/// Once more, in the order of the virtual clock.
void trace_on_simulator(const std::vector<float>& in, const sample::TraceOptions& options) {
  std::vector<float> out(in.size());
  const auto count = static_cast<int64_t>(in.size());
  warpline::Stream stream{.options = {.policy = warpline::simulator::Policy::timed}};
  warpline::TraceSession session(stream);
  warpline::launch<Scale>(stream, {8, 1, 1}, {in.data(), out.data(), count, 2.5F});
  sample::report_trace(options, session.finish());
}

bool run(const sample::TraceOptions& options) {
  sample::check_trace_files(options);
  std::vector<float> in;
  std::vector<float> wanted;
  for (int i = 0; i < 50'000; ++i) {  // no whole number of chunks
    in.push_back(static_cast<float>(i));
    wanted.push_back(2.5F * in.back());
  }
  bool right = scale_on_simulator(in, 2.5F) == wanted;
  std::cout << "simulator: " << (right ? "right\n" : "WRONG\n");
  bool traced = false;
#if WARPLINE_HAS_GPU
  try {
    warpline::timeline::Trace trace;
    const bool records = warpline::sim::traced && options.wanted();
    const bool gpu_right = scale_on_gpu(in, 2.5F, records ? &trace : nullptr) == wanted;
    std::cout << "GPU: " << (gpu_right ? "right\n" : "WRONG\n");
    right = right && gpu_right;
    if (records) {
      sample::report_trace(options, std::move(trace));
      traced = true;
    }
  } catch (const warpline::Error& error) {
    std::cout << "not on the GPU: " << error.what() << '\n';
  }
#endif
  std::cout << std::flush;
  if (options.wanted() && !traced) {
    trace_on_simulator(in, options);
  }
  return right;
}

}  // namespace pipeline_alone

int main(int argc, char** argv) {
  CLI::App app("Scales an array through a ring of stages");
  sample::TraceOptions trace;
  sample::add_trace_options(app, trace);
  CLI11_PARSE(app, argc, argv);
  try {
    return pipeline_alone::run(trace) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "pipeline_alone: " << error.what() << '\n';
    return 1;
  }
}
