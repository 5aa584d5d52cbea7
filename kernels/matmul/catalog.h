// The matmul kernels that are built in, for programs that choose one at run time. Knows neither
// target: the same declarations serve the GPU's kernels and the simulator's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/options.h"
#include "timeline/trace.h"

namespace warpline {

/// C[M,N] = A[M,K] * B[N,K]^T; all row-major fp16, strides in elements, fp32 accumulation.
struct MatmulProblem {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t a_stride = 0;
  std::int64_t b_stride = 0;
  std::int64_t c_stride = 0;
  /// Rows of tiles that are worked on together, for kernels that take a raster; 0 for their own
  /// order.
  int raster = 0;
};

/// Where a matmul runs: a cudaStream_t for the GPU's kernels, options for the simulator's.
struct MatmulPlace {
  void* stream = nullptr;
  simulator::Options simulator = {};
};

struct MatmulKernel {
  const char* name;
  int stages;
  int block_m;
  int block_n;
  int block_k;
  /// N and K that the kernel was compiled for; 0 for any.
  int static_n;
  int static_k;
  /// Whether MatmulProblem::raster means something to it.
  bool takes_raster;
  std::size_t argument_bytes;
  /// Writes the kernel's arguments; throws Error if the kernel cannot take the problem.
  void (*encode)(const MatmulProblem&, void* arguments);
  void (*launch)(const MatmulProblem&, const MatmulPlace&, const void* arguments);
  std::string (*describe)();
};

/// A problem made ready for one kernel: everything checked and encoded, so that run() only
/// launches.
class MatmulPlan {
 public:
  /// Throws Error naming operand, value and rule. M = 0 or N = 0 is a plan that does nothing; K = 0
  /// one that writes zeros. The plan keeps addresses, not data.
  MatmulPlan(const MatmulKernel& kernel, const MatmulProblem& problem);

  /// Queues the matmul on the GPU, or runs it on the simulator.
  void run(const MatmulPlace& place = {}) const;

 private:
  const MatmulKernel* kernel_;
  MatmulProblem problem_;
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> arguments_;
};

/// The built kernels, by name and then by tile.
const std::vector<MatmulKernel>& gpu_matmul_kernels();
const std::vector<MatmulKernel>& simulator_matmul_kernels();

/// Waits for the GPU's kernels queued at `place`. Throws Error with what went wrong, in checked
/// builds with who waited for what.
void synchronize_gpu_matmuls(const MatmulPlace& place);

/// The next launch of a GPU kernel is recorded: its CTAs on the first `multiprocessors` SMs. Throws
/// Error if this build's kernels record nothing (WARPLINE_TRACE).
void begin_gpu_timeline(std::uint32_t multiprocessors);
/// Waits for it and returns what it has left.
timeline::Trace end_gpu_timeline(const MatmulPlace& place);

}  // namespace warpline
