#include "samples/support/sm_clock.h"

namespace sample {

SmClock::SmClock(const std::string& bus_id)
    : library_({"libnvidia-ml.so.1"}),
      get_clock_(library_.function<GetClock>("nvmlDeviceGetClockInfo")) {
  auto* const start = library_.function<int()>("nvmlInit_v2");
  auto* const find =
      library_.function<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (start == nullptr || find == nullptr || start() != 0 || find(bus_id.c_str(), &device_) != 0) {
    get_clock_ = nullptr;
  }
}

std::optional<int> SmClock::mhz() const {
  constexpr int sm_clock = 1;  // NVML_CLOCK_SM
  unsigned value = 0;
  if (get_clock_ == nullptr || get_clock_(device_, sm_clock, &value) != 0) {
    return std::nullopt;
  }
  return static_cast<int>(value);
}

}  // namespace sample
