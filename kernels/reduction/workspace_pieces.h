// A workspace, piece by piece. Host code.
#pragma once

#include <cstddef>

namespace warpline {

/// Counts bytes, and after begin_at() gives addresses, each on 256 bytes of the workspace.
class WorkspacePieces {
 public:
  void* take(std::size_t size) {
    void* const piece = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (size + 255) / 256 * 256;
    return piece;
  }
  std::size_t used() const { return used_; }
  void begin_at(void* base) {
    base_ = static_cast<unsigned char*>(base);
    used_ = 0;
  }

 private:
  unsigned char* base_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace warpline
