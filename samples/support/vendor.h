// The vendor's matmul, to compare with.
#pragma once

#include <memory>
#include <string>

#include "matmul/catalog.h"
#include "samples/support/bench.h"
#include "tensor/matrix.h"

namespace sample {

class Vendor {
 public:
  virtual ~Vendor() = default;
  virtual const char* name() const = 0;
  /// As it says itself; empty if it does not.
  virtual std::string version() const { return {}; }

  /// Prepares for problems of these sizes, strides and element type (fp16 or bf16), and says how
  /// many ways it has; choose() picks one. The first is what it would take by itself.
  virtual int prepare(const warpline::MatmulProblem& problem, warpline::ElementType type) = 0;
  virtual void choose(int candidate) = 0;

  /// Queues C = A * B^T on a cudaStream_t. Throws Error.
  virtual void matmul(const warpline::MatmulProblem& problem, void* stream) = 0;
};

/// Memory on the GPU that cublasLt may use.
struct Workspace {
  void* data;
  std::size_t bytes;
};

/// What a cuBLAS user calls. Null, with the reason in `why_not`, if there is no cuBLAS.
std::unique_ptr<Vendor> open_cublas(std::string& why_not);

/// The best of cublasLt's first eight suggestions: the harder mark.
std::unique_ptr<Vendor> open_cublas_lt(const Workspace& workspace, std::string& why_not);

#if WARPLINE_HAS_GPU
/// The fastest of a prepared vendor's ways, in heats of all; -1 if none of them runs. `contest`
/// launches the vendor's matmul as its only contestant.
int fastest_candidate(Vendor& vendor, int candidates, const Contest& contest, Bench& bench,
                      const GpuStream& stream);
#endif

}  // namespace sample
