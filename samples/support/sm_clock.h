// The clock that the GPU runs at, from NVML where it is installed.
#pragma once

#include <optional>
#include <string>

#include "samples/support/shared_library.h"

namespace sample {

class SmClock {
 public:
  explicit SmClock(const std::string& bus_id);

  /// Now, in MHz; nothing if nobody tells.
  std::optional<int> mhz() const;

 private:
  using GetClock = int(void* device, int type, unsigned* mhz);
  SharedLibrary library_;
  GetClock* get_clock_;
  void* device_ = nullptr;
};

}  // namespace sample
