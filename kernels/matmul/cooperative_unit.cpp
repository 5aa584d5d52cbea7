// The cooperative kernels of the catalog.
#include "matmul/cooperative_entry.h"

namespace warpline::inline WARPLINE_TARGET {

namespace {

constexpr MatmulKernel lines[] = {
    CooperativeEntry<CooperativeConfig{}>::line("cooperative"),
    CooperativeEntry<CooperativeConfig{.cluster_m = 1}>::line("cooperative.no_cluster"),
};

}  // namespace

MatmulKernelLines cooperative() { return {lines, 2}; }

}  // namespace warpline::inline WARPLINE_TARGET
