// Inputs and output in host memory. All are row-major fp16, kept as bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sample {

struct Size {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

/// Throws UsageError for extents that no kernel takes, and Error if the inputs and outputs of such
/// a matmul would not fit into the memory of this machine.
void require_sensible(const Size& size);

/// The smallest row stride of at least `columns` elements that the copy engine can step by: a
/// multiple of 8.
std::int64_t padded_stride(std::int64_t columns);

struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;
  std::vector<std::uint16_t> elements;

  std::size_t bytes() const { return elements.size() * sizeof(std::uint16_t); }
};

/// Normally distributed numbers (the clock of a chip depends on what it multiplies: zeros would
/// flatter). What pads the rows is NaN, so that whoever reads it is found out.
Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed);

/// C: NaN where the kernel is to write, and guards before, between and behind the rows where it is
/// not.
class Output {
 public:
  /// Bytes before and behind the matrix; keeps its first element as aligned as an allocation is.
  static constexpr std::int64_t guard_bytes = 256;

  Output(std::int64_t rows, std::int64_t columns);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t stride() const { return stride_; }

  /// The whole of it, guards included.
  void* image() { return image_.data(); }
  const void* image() const { return image_.data(); }
  std::size_t image_bytes() const { return image_.size() * sizeof(std::uint16_t); }

  std::uint16_t* elements() { return image_.data() + guard; }
  const std::uint16_t* row(std::int64_t r) const { return image_.data() + guard + r * stride_; }

  /// Back to the state before the kernel ran.
  void poison();

  /// What is wrong with it, whatever the inputs were: guards overwritten, elements not written.
  /// Empty if nothing is.
  std::string damage() const;

 private:
  static constexpr std::int64_t guard =
      guard_bytes / static_cast<std::int64_t>(sizeof(std::uint16_t));

  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t stride_;
  std::vector<std::uint16_t> image_;
};

}  // namespace sample
