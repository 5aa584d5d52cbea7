// The choices inside the warp-specialised kernel, side by side, so that each can be measured: who
// arrives when a stage is freed, the loop's form, and N and K as constants. docs/measurements.md
// has the figures that set the defaults.
#include "matmul/warp_specialized_entry.h"

namespace warpline::inline WARPLINE_TARGET {

namespace {

template <int Stages, Release Policy, LoopForm Loop, int Size = 0>
constexpr MatmulKernel variant(const char* name) {
  return WarpSpecializedEntry<WarpSpecializedConfig{
      .stages = Stages, .release = Policy, .loop = Loop, .static_n = Size, .static_k = Size}>::
      line(name);
}

constexpr MatmulKernel lines[] = {
    variant<2, Release::per_thread, LoopForm::range>("warp_specialized.per_thread"),
    variant<2, Release::per_warpgroup, LoopForm::range>("warp_specialized.per_warpgroup"),
    variant<2, Release::per_warp, LoopForm::unrolled>("warp_specialized.unrolled"),
    variant<2, Release::per_warp, LoopForm::range, 8192>("warp_specialized.static_8192"),
    variant<2, Release::per_warp, LoopForm::range, 512>("warp_specialized.static_512"),
};

}  // namespace

MatmulKernelLines warp_specialized_variants() { return {lines, 5}; }

}  // namespace warpline::inline WARPLINE_TARGET
