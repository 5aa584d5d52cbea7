// One of the units that share out the 32 shapes of wgmma.
#pragma once

#include "tests/differential/wgmma_probe.h"

namespace warpline::tests::inline WARPLINE_TARGET {

template <int N>
void run_wgmma(const Stream& stream, const WgmmaArguments& arguments) {
  run_probe<WgmmaProbe<N>>(stream, {1, 1, 1}, arguments);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET

#define WARPLINE_WGMMA_SHAPE(n) template void run_wgmma<n>(const Stream&, const WgmmaArguments&);
// clang-format off
#define WARPLINE_WGMMA_UNIT(first)     \
  WARPLINE_WGMMA_SHAPE(first)          \
  WARPLINE_WGMMA_SHAPE((first) + 32)   \
  WARPLINE_WGMMA_SHAPE((first) + 64)   \
  WARPLINE_WGMMA_SHAPE((first) + 96)   \
  WARPLINE_WGMMA_SHAPE((first) + 128)  \
  WARPLINE_WGMMA_SHAPE((first) + 160)  \
  WARPLINE_WGMMA_SHAPE((first) + 192)  \
  WARPLINE_WGMMA_SHAPE((first) + 224)
// clang-format on
