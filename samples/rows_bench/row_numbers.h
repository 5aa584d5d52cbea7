// Device memory for the numbers that there is one of for each row.
#pragma once

#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include "samples/rows_bench/operations.h"

namespace sample::rows {

/// Targets all over the columns, log-sum-exps as rows of normal numbers have, gradients of one.
class RowNumbers {
 public:
  RowNumbers(const Shape& shape, std::size_t sets);
  PerRow of(std::size_t set) const;

 private:
  std::size_t rows_;
  std::size_t each_;
  DeviceMemory memory_;
};

}  // namespace sample::rows

#endif
