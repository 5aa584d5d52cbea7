// A, B and D of one shape after the other in GPU memory that was taken and filled once: A and B are
// slices of noise, so that nothing is made or copied for a shape.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "samples/bench/matmul/suite.h"
#include "samples/support/gpu.h"
#include "samples/support/noise.h"
#include "samples/support/reference.h"

#if WARPLINE_HAS_GPU

namespace bench {

class GpuOperands {
 public:
  struct Set {
    const void* a;
    const void* b;
    void* d;
  };

  /// Takes memory for the largest of `shapes` that fits.
  GpuOperands(std::uint64_t seed, const std::vector<Shape>& shapes);

  /// For this shape from now on. Throws Error if it does not fit.
  void take(const Shape& shape);

  /// Enough that using them in turn finds nothing in the L2 cache.
  std::size_t sets() const { return layout_.sets; }
  Set set(std::size_t number) const;
  /// Another D.
  void* vendor_d() const { return d_of(layout_.sets); }

  /// The first set's, for a reference.
  sample::Rows a() const;
  sample::Rows b() const;

  /// Queues NaN into the first set's D and around it.
  void poison(const sample::GpuStream& stream) const;
  /// These rows of the first set's D, downloaded now; reads of others fail.
  sample::Rows download(const std::vector<std::int64_t>& rows) const;
  /// Whether anything was written outside the first set's D since poison().
  bool guards_are_whole() const;

 private:
  struct Layout {
    std::size_t sets = 1;
    std::size_t b = 0;        ///< bytes from A to B
    std::size_t inputs = 0;   ///< bytes from one A to the next
    std::size_t d_bytes = 0;  ///< of D alone
    std::size_t outputs = 0;  ///< bytes from one D to the next

    std::size_t noise() const { return sets * inputs; }
    std::size_t results() const { return (sets + 1) * outputs; }
  };
  static Layout layout_of(const Shape& shape);

  unsigned char* d_of(std::size_t number) const;
  void fill();

  std::uint64_t seed_;
  Shape shape_;
  Layout layout_;
  std::optional<sample::Noise> noise_;
  std::size_t noise_bytes_ = 0;
  std::size_t result_bytes_ = 0;
  std::optional<sample::DeviceMemory> inputs_;
  std::optional<sample::DeviceMemory> results_;
};

}  // namespace bench

#endif
