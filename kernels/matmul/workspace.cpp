#include "matmul/workspace.h"

#include <cstdint>
#include <string>
#include <utility>

#include "warpline/error.h"

namespace warpline {

namespace {

/// Partial sums travel in 16 bytes.
constexpr std::uintptr_t alignment = 16;

}  // namespace

Workspace::Workspace(const MatmulTarget& target, std::size_t bytes, const Place* at)
    : target_(&target) {
  if (at != nullptr) {
    at_ = *at;
  }
  data_ = at_.has_value() ? target.allocate_at(*at_, bytes) : target.allocate(bytes);
}

Workspace& Workspace::operator=(Workspace&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(data_, other.data_);
  std::swap(at_, other.at_);
  return *this;
}

Workspace::~Workspace() {
  if (data_ == nullptr) {
    return;
  }
  if (at_.has_value()) {
    target_->release_at(*at_, data_);
  } else {
    target_->release(data_);
  }
}

void check_workspace(const MatmulTarget& target, int device, const MatmulOptions& options,
                     std::size_t needed) {
  if (options.workspace_bytes < needed) {
    throw Error("workspace: it has " + std::to_string(options.workspace_bytes) +
                " bytes, the call needs " + std::to_string(needed));
  }
  if (needed == 0) {
    return;
  }
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(options.workspace) % alignment;
  if (past != 0) {
    throw Error("workspace: its address is " + std::to_string(past) + " bytes past a multiple of " +
                std::to_string(alignment));
  }
  target.require_memory(device, options.workspace, "workspace");
}

}  // namespace warpline
