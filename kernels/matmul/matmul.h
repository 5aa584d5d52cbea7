// warpline::matmul: D = alpha * A * B + beta * C, and what an epilogue makes of it.
//
//   warpline::matmul(stream, D, A, B);                               // queued on a cudaStream_t
//   warpline::matmul(warpline::simulator::Options{}, D, A, B);       // simulated, checked
//
//   auto plan = warpline::matmul_plan(stream, D, A, B, {.alpha = 0.5f});
//   plan.run(stream);                                                // only launches
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "matmul/epilogue_steps.h"
#include "matmul/splits_and_rasters.h"
#include "tensor/matrix.h"
#include "tensor/place.h"

namespace warpline {

struct MatmulOptions {
  float alpha = 1;
  /// With beta = 0, C is not read. C and D may be the same matrix (type, strides and all); other
  /// overlaps are refused.
  float beta = 0;
  Matrix c = {};
  /// Applied in order to alpha * A * B + beta * C, in fp32, before rounding to D's type.
  std::vector<EpilogueStep> epilogue = {};
  /// Problems of the same extents; operand b of each is batch_stride * b elements after the first,
  /// or at addresses[b] (Matrix::in_batch, Matrix::at). With addresses each problem is a launch.
  std::int64_t batch = 1;
  /// Bitwise the same from run to run. Without it, sums of three and more parts of K may be added
  /// up in the order in which they come, where that is expected to be faster; with `splits` set
  /// they are.
  bool deterministic = true;
  /// CTAs at most, to leave multiprocessors to others; 0 for all.
  int max_ctas = 0;
  /// The kernel may start before its predecessor on the stream has ended (programmatic dependent
  /// launch); it reads and writes no global memory until then, so that nothing changes but the
  /// time: about 1 us less for each of several short matmuls in a row (docs/matmul.md).
  bool dependent_launch = true;
  /// Memory for split K, on 16 bytes, which the caller keeps until the last run has ended; without
  /// it the plan allocates its own. Fill it with zeros once: each run leaves it ready for another,
  /// of any plan. Runs that share a workspace must not overlap.
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  /// The name of a kernel (matmul_kernel_names), to use that and no other; empty: chosen by the
  /// cost model.
  std::string kernel = {};
  /// Parts of K for the tiles of the last round, at most as many as it has k tiles; stream_k: the k
  /// tiles of those tiles evenly among all; 0: chosen.
  int splits = 0;
  /// Rows of tiles that are worked on together, for the L2 cache; hilbert_raster: along Hilbert's
  /// curve; 0: chosen.
  int raster = 0;
};

/// A matmul made ready: everything checked, chosen and encoded, so that run() only launches. It
/// keeps addresses, not data. run() may be called from several threads and captured in CUDA graphs;
/// runs that use a workspace must follow each other.
class PreparedMatmul {
 public:
  /// Queues it (GPU) or runs it (simulator). The place must be of the kind that the plan was made
  /// for, the stream of the same device; throws Error.
  void run(const Place& place) const;
  void operator()(const Place& place) const { run(place); }

  /// The kernel, its split and raster, and why the cost model took it, in a line.
  std::string choice() const;
  /// Bytes of MatmulOptions::workspace that this plan uses.
  std::size_t workspace_bytes() const;

  struct State;
  explicit PreparedMatmul(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

/// A is M x K, B is K x N, D (and C) M x N: fp16 or bf16 A and B of the same type; D and C fp16,
/// bf16 or fp32; sums in fp32. One stride of A and one of B is 1: row-major or column-major, each
/// as it likes; D and C have any strides. Extents are 0 to 2^31 - 65536; any address that its
/// element type allows. M = 0 or N = 0: nothing to do; K = 0: beta * C through the epilogue. The
/// current device must be the stream's. Throws Error naming operand, value and rule, and then
/// nothing was launched.
PreparedMatmul matmul_plan(const Place& place, const MutableMatrix& d, const Matrix& a,
                           const Matrix& b, const MatmulOptions& options = {});

/// The same, made ready and run. A workspace is allocated and freed on the stream.
void matmul(const Place& place, const MutableMatrix& d, const Matrix& a, const Matrix& b,
            const MatmulOptions& options = {});

/// The kernels that MatmulOptions::kernel can name.
std::vector<std::string> matmul_kernel_names();

}  // namespace warpline
