// Random numbers for test cases: splitmix64. The recorded results depend on it, so it stays as it
// is, whatever the simulator's dice become.
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::tests::inline WARPLINE_TARGET {

WARPLINE_HOST_DEVICE constexpr uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Word `index` of what probes write; the same on host and device.
WARPLINE_HOST_DEVICE constexpr uint32_t pattern(uint32_t seed, uint32_t index) {
  return static_cast<uint32_t>(mixed((uint64_t{seed} << 32) + index) >> 16);
}

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(mixed(seed + 0x9e3779b97f4a7c15u)) {}

  uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15u); }

  /// Uniform in [low, high].
  int between(int low, int high) {
    const auto range = static_cast<uint64_t>(high - low + 1);
    return low + static_cast<int>(((next() >> 32) * range) >> 32);
  }

  bool one_in(int n) { return between(1, n) == 1; }

  template <class T, int Count>
  T pick(const T (&choices)[Count]) {
    return choices[between(0, Count - 1)];
  }

 private:
  uint64_t state_;
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
