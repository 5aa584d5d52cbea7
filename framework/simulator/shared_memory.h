// A CTA's shared memory, and what is known of every 16 bytes of it: who wrote it last, and which
// copies and multiplies are under way on it. Internal.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "simulator/access_history.h"

namespace warpline::simulator {

class SharedMemory {
 public:
  /// The unit of the copy engine and of the swizzles, and of what is tracked.
  static constexpr std::uint32_t chunk = 16;
  /// Bits of a shared address that are an offset into one CTA's window; the rank in the cluster is
  /// above them.
  static constexpr unsigned window_bits = 24;

  void allocate(std::size_t bytes) {
    bytes_ = static_cast<std::uint32_t>(bytes);
    const std::size_t rounded = (bytes + 1023) / 1024 * 1024 + 1024;
    base_.reset(static_cast<unsigned char*>(std::aligned_alloc(1024, rounded)));
    // A quiet NaN in every 16- and 32-bit format: what nobody wrote does not look like zero.
    for (std::size_t i = 0; i < rounded; ++i) {
      base_.get()[i] = 0xff;
    }
    chunks_.assign(rounded / chunk, Chunk{});
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

  Chunk& chunk_at(std::uint32_t offset) { return chunks_[offset / chunk]; }
  std::vector<Chunk>& chunks() { return chunks_; }

 private:
  struct Free {
    void operator()(unsigned char* p) const { std::free(p); }
  };
  std::unique_ptr<unsigned char, Free> base_;
  std::uint32_t bytes_ = 0;
  std::vector<Chunk> chunks_;
};

/// The byte that the swizzle of span `span_bytes` (16: none) puts at this address.
inline std::uint32_t swizzle_address(std::uint32_t address, unsigned span_bytes) {
  const std::uint32_t mask = span_bytes / 16 - 1;
  return address ^ (((address >> 7) & mask) << 4);
}

}  // namespace warpline::simulator
