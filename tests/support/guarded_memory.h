// Memory of the simulator's kernels that begins or ends at a page without access: what reads beyond
// it does not come back.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>

namespace warpline::tests {

/// `bytes` of zeros, the last of them (or the first) at the border of a page that may not be
/// touched.
class GuardedMemory {
 public:
  GuardedMemory(std::size_t bytes, bool at_end) : page_(static_cast<std::size_t>(getpagesize())) {
    middle_ = (bytes + page_ - 1) / page_ * page_;
    void* const all =
        mmap(nullptr, middle_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
      throw std::runtime_error("mmap failed");
    }
    all_ = static_cast<unsigned char*>(all);
    if (mprotect(all_ + page_, middle_, PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("mprotect failed");
    }
    first_ = all_ + page_ + (at_end ? middle_ - bytes : 0);
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(all_, middle_ + 2 * page_); }

  unsigned char* data() const { return first_; }

 private:
  std::size_t page_;
  std::size_t middle_ = 0;
  unsigned char* all_ = nullptr;
  unsigned char* first_ = nullptr;
};

}  // namespace warpline::tests
