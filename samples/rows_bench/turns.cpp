#include "samples/rows_bench/turns.h"

#if WARPLINE_HAS_GPU

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "warpline/error.h"

namespace sample::rows {

namespace {

void check(cudaError_t status, const char* doing) {
  if (status != cudaSuccess) {
    throw warpline::Error(std::string(doing) + ": " + cudaGetErrorString(status));
  }
}

/// Several launches, captured once.
class Graph {
 public:
  Graph(CUstream_st* stream, const Launch& launch, std::size_t first_set, std::size_t sets,
        int launches) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a capture");
    for (int i = 0; i < launches; ++i) {
      launch(stream, (first_set + static_cast<std::size_t>(i)) % sets);
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph), "end a capture");
    const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "make a graph");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { cudaGraphExecDestroy(executable_); }

  void queue(CUstream_st* stream) const {
    check(cudaGraphLaunch(executable_, stream), "launch a graph");
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

double milliseconds_of(const GpuStream& stream, const Graph& graph) {
  GpuEvent begin;
  GpuEvent end;
  begin.record(stream);
  graph.queue(static_cast<CUstream_st*>(stream.handle()));
  end.record(stream);
  end.wait();
  return end.milliseconds_since(begin);
}

}  // namespace

std::vector<double> microseconds_in_turns(const Contestants& contestants, int rounds,
                                          double milliseconds) {
  const GpuStream stream;
  auto* handle = static_cast<CUstream_st*>(stream.handle());
  const std::size_t count = contestants.launches.size();
  for (const Launch& launch : contestants.launches) {
    launch(handle, 0);  // its first launch loads code
  }
  const auto sets = static_cast<int>(contestants.sets);
  const Graph trial(handle, contestants.launches.front(), 0, contestants.sets, sets);
  milliseconds_of(stream, trial);
  const double one = milliseconds_of(stream, trial) / sets;
  const int launches =
      std::clamp(static_cast<int>(std::ceil(milliseconds / one / sets)), 1, 500) * sets;
  std::vector<std::unique_ptr<Graph>> graphs;
  for (std::size_t i = 0; i < count; ++i) {
    graphs.push_back(
        std::make_unique<Graph>(handle, contestants.launches[i], i, contestants.sets, launches));
  }
  std::vector<std::vector<double>> times(count);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      // Nobody always comes after the same one.
      const std::size_t who = round % 2 == 0 ? turn : count - 1 - turn;
      times[who].push_back(milliseconds_of(stream, *graphs[who]) / launches * 1000);
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& samples : times) {
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    medians.push_back(*middle);
  }
  return medians;
}

}  // namespace sample::rows

#endif
