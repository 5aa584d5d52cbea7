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
  FaultData() : in_(numbers()), out_(std::vector<int32_t>(FaultArguments::words, -1)) {
    constexpr int columns = FaultArguments::columns;
    const MatrixView<__half> in{in_.data(), 64, columns, columns};
    const MatrixView<__half> rows{in_.data(), 8, columns, columns};
    const MatrixView<__half> out{reinterpret_cast<__half*>(out_.data()), 64, columns, columns};
    arguments_ = {.in = reinterpret_cast<const int32_t*>(in_.data()),
                  .out = out_.data(),
                  .a = make_tensor_map<FaultTileA>(in, "in"),
                  .b = make_tensor_map<FaultTileB>(rows, "in"),
                  .store = make_tensor_map<FaultTileA>(out, "out", MapUse::store),
                  .one = 1};
  }

  const FaultArguments& arguments() const { return arguments_; }

  /// What `out` holds after run(arguments), which starts from nothing.
  template <class Run>
  std::vector<int32_t> results(Run run) {
    out_.assign(std::vector<int32_t>(FaultArguments::words, -1));
    run(arguments_);
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

  DeviceArray<__half> in_;
  DeviceArray<int32_t> out_;
  FaultArguments arguments_ = {};
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
