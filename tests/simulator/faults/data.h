// The memory that the kernels of the catalogue work on.
#pragma once

#include <cstring>
#include <vector>

#include "tests/simulator/faults/fault.h"
#include "tests/support/device_array.h"
#include "warpline/make_tensor_map.h"

namespace warpline::tests::inline WARPLINE_TARGET {

class FaultData {
 public:
  FaultData() : in_(numbers()), out_(nothing()), flags_(zeros()) {
    constexpr int columns = FaultArguments::columns;
    const MatrixView<__half> in{in_.data(), 64, columns, columns};
    const MatrixView<__half> rows{in_.data(), 8, columns, columns};
    const MatrixView<__half> out{reinterpret_cast<__half*>(out_.data()), 64, columns, columns};
    arguments_ = {.in = reinterpret_cast<const int32_t*>(in_.data()),
                  .out = out_.data(),
                  .flags = flags_.data(),
                  .a = make_tensor_map<FaultTileA>(in, "in"),
                  .b = make_tensor_map<FaultTileB>(rows, "in"),
                  .store = make_tensor_map<FaultTileA>(out, "out", MapUse::store),
                  .one = 1};
  }

  /// With nothing in `out` yet, and all flags zero.
  const FaultArguments& arguments() const {
    out_.assign(nothing());
    flags_.assign(zeros());
    return arguments_;
  }

  /// What `out` holds after run(arguments).
  template <class Run>
  std::vector<int32_t> results(Run run) const {
    run(arguments());
    return out_.values();
  }

 private:
  static std::vector<__half> numbers() {
    std::vector<__half> values;
    for (int i = 0; i < 2 * FaultArguments::words; ++i) {
      values.push_back(__float2half(static_cast<float>(i % 7 - 3)));
    }
    return values;
  }

  static std::vector<int32_t> nothing() { return std::vector<int32_t>(FaultArguments::words, -1); }
  static std::vector<uint32_t> zeros() { return std::vector<uint32_t>(16); }

  DeviceArray<__half> in_;
  DeviceArray<int32_t> out_;
  DeviceArray<uint32_t> flags_;
  FaultArguments arguments_ = {};
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
