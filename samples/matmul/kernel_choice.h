// Which of the catalog's kernels runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matmul/catalog.h"

namespace sample {

/// What the user left open is empty.
struct KernelFilter {
  std::string name = "warp_specialized";
  std::optional<int> stages;
  std::optional<int> block_m;
  std::optional<int> block_n;
  std::optional<int> block_k;
};

/// The kernel of that name and tile; what is left open is as in WarpSpecializedConfig's defaults
/// where possible. Throws UsageError if the catalog has no such kernel, Error if the chip cannot
/// run it.
const warpline::MatmulKernel& choose_kernel(const std::vector<warpline::MatmulKernel>& catalog,
                                            const KernelFilter& filter);

/// All kernels that the filter leaves open, variants ("name.variant") included.
std::vector<const warpline::MatmulKernel*> all_kernels(
    const std::vector<warpline::MatmulKernel>& catalog, const KernelFilter& filter);

/// For people: each name and tile with its stages.
std::string list_of(const std::vector<warpline::MatmulKernel>& catalog);

/// "128 x 128 x 64, 3 stages"
std::string tile_of(const warpline::MatmulKernel& kernel);

}  // namespace sample
