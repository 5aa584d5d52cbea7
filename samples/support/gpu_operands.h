// A, B and C in GPU memory, in as many copies as a benchmark needs.
#pragma once

#include <vector>

#include "matmul/catalog.h"
#include "samples/support/gpu.h"
#include "samples/support/matrix.h"

#if WARPLINE_HAS_GPU

namespace sample {

/// So many copies of operands of `bytes` together (A, B and C) that using them in turn finds none
/// in the L2 cache: more than 3 times its size. As many as fit into half of the GPU's free memory.
std::size_t sets_against_cache(std::size_t bytes);

class GpuOperands {
 public:
  /// Uploads A and B. With `defeat_cache`, makes enough copies that using them in turn finds none
  /// in the L2 cache.
  GpuOperands(const Matrix& a, const Matrix& b, const Output& c, bool defeat_cache);

  std::size_t sets() const { return sets_; }
  warpline::MatmulProblem problem(std::size_t set) const;

  /// The C of the first set, guards included.
  void upload_c(const Output& c) const;
  void download_c(Output& c) const;

  /// The same from the GPU's memory, and only these rows.
  void copy_c(const DeviceMemory& image, const Output& c) const;
  void download_rows(Output& c, const std::vector<std::int64_t>& rows) const;

 private:
  struct Layout {
    std::size_t b;
    std::size_t c;
    std::size_t total;
  };
  static Layout layout_of(const Matrix& a, const Matrix& b, const Output& c);

  warpline::MatmulProblem shape_;
  Layout layout_;
  std::size_t sets_;
  DeviceMemory memory_;
};

}  // namespace sample

#endif
