// A CTA's shared memory, and what is known of every 16 bytes of it: who wrote it last, and which
// copies and multiplies are under way on it. Internal.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace warpline::simulator {

class SharedMemory {
 public:
  /// The unit of the copy engine and of the swizzles, and of what is tracked.
  static constexpr std::uint32_t chunk = 16;
  /// Bits of a shared address that are an offset into one CTA's window; the rank in the cluster is
  /// above them.
  static constexpr unsigned window_bits = 24;

  struct Cell {
    std::uint32_t writer =
        0;  ///< thread index + 1 of the last ordinary write; 0: the async proxy or nobody
    std::uint32_t writer_fences = 0;  ///< how often it had fenced by then
    std::uint16_t async_readers = 0;  ///< multiplies and stores under way that read it
    std::uint16_t async_writers = 0;  ///< loads under way that write it
    bool written = false;
    bool barrier = false;
  };

  void allocate(std::size_t bytes) {
    bytes_ = static_cast<std::uint32_t>(bytes);
    const std::size_t rounded = (bytes + 1023) / 1024 * 1024 + 1024;
    base_.reset(static_cast<unsigned char*>(std::aligned_alloc(1024, rounded)));
    // A quiet NaN in every 16- and 32-bit format: what nobody wrote does not look like zero.
    for (std::size_t i = 0; i < rounded; ++i) {
      base_.get()[i] = 0xff;
    }
    cells_.assign(rounded / chunk, Cell{});
  }

  unsigned char* base() const { return base_.get(); }
  std::uint32_t bytes() const { return bytes_; }
  bool contains(const void* place, std::size_t bytes) const {
    const auto* p = static_cast<const unsigned char*>(place);
    return p >= base() && p + bytes <= base() + bytes_;
  }
  bool contains(std::uint32_t offset, std::size_t bytes) const { return offset + bytes <= bytes_; }
  std::uint32_t offset(const void* place) const {
    return static_cast<std::uint32_t>(static_cast<const unsigned char*>(place) - base());
  }
  unsigned char* at(std::uint32_t offset) const { return base() + offset; }

  Cell& cell(std::uint32_t offset) { return cells_[offset / chunk]; }

  /// Calls visit(cell) for every cell that [begin, begin + bytes) touches.
  template <class Visit>
  void for_each_cell(std::uint32_t begin, std::uint32_t bytes, Visit visit) {
    if (bytes == 0) {
      return;
    }
    for (std::uint32_t i = begin / chunk; i <= (begin + bytes - 1) / chunk; ++i) {
      visit(cells_[i]);
    }
  }

 private:
  struct Free {
    void operator()(unsigned char* p) const { std::free(p); }
  };
  std::unique_ptr<unsigned char, Free> base_;
  std::uint32_t bytes_ = 0;
  std::vector<Cell> cells_;
};

/// The byte that the swizzle of span `span_bytes` (16: none) puts at this address.
inline std::uint32_t swizzle_address(std::uint32_t address, unsigned span_bytes) {
  const std::uint32_t mask = span_bytes / 16 - 1;
  return address ^ (((address >> 7) & mask) << 4);
}

}  // namespace warpline::simulator
