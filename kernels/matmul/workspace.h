// The memory that a plan keeps for its kernel. Knows neither target.
#pragma once

#include <cstddef>
#include <optional>

#include "matmul/matmul.h"
#include "matmul/target.h"

namespace warpline {

/// Zeros on the target. For one run `at` a place, queued there: nothing waits, not even its end.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const MatmulTarget& target, std::size_t bytes, const Place* at);
  Workspace(Workspace&& other) noexcept { *this = std::move(other); }
  Workspace& operator=(Workspace&& other) noexcept;
  ~Workspace();

  void* data() const { return data_; }

 private:
  const MatmulTarget* target_ = nullptr;
  void* data_ = nullptr;
  std::optional<Place> at_;
};

/// Throws Error unless the caller's workspace is large enough, aligned and on the device.
void check_workspace(const MatmulTarget& target, int device, const MatmulOptions& options,
                     std::size_t needed);

}  // namespace warpline
