// The shapes of a benchmark, from a suite's file or from the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/matrix.h"

namespace bench {

/// D[M,N] = A[M,K] * B[N,K]^T, all contiguous.
struct Shape {
  std::string name;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  warpline::ElementType type = warpline::ElementType::fp16;

  bool operator==(const Shape&) const = default;

  /// A, B and D.
  double bytes() const;
  double multiplications() const;
};

/// A shape a line: `M N K [fp16|bf16] [NAME]`; `#` starts a comment. Without a name of its own a
/// shape is called MxNxK. Those that state no type come once for each of `types`. Throws UsageError
/// that names `source` and the line.
std::vector<Shape> parse_suite(const std::string& text, const std::string& source,
                               const std::vector<warpline::ElementType>& types);

/// `MxNxK,MxNxK,...`. Throws UsageError.
std::vector<Shape> parse_shapes(const std::string& text,
                                const std::vector<warpline::ElementType>& types);

/// The file of that name, or the suite of that name that comes with the program. Throws UsageError
/// with the names that there are.
std::vector<Shape> read_suite(const std::string& name_or_file,
                              const std::vector<warpline::ElementType>& types);

/// "fp16", "bf16" or "fp16,bf16". Throws UsageError.
std::vector<warpline::ElementType> parse_types(const std::string& text);

}  // namespace bench
