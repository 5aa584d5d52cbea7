// The vendor's matmul, to compare with.
#pragma once

#include <memory>
#include <string>

#include "matmul/catalog.h"

namespace sample {

class Vendor {
 public:
  virtual ~Vendor() = default;
  virtual const char* name() const = 0;

  /// Prepares for problems of these sizes and strides, and says how many ways it has; choose()
  /// picks one.
  virtual int prepare(const warpline::MatmulProblem& problem) = 0;
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

}  // namespace sample
