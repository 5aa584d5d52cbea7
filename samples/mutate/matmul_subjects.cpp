// The shipped matmul kernels: the catalog, and the versions of the ladder.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "matmul/cooperative_entry.h"
#include "matmul_problem.h"
#include "samples/ladder/catalog.h"
#include "samples/ladder/host.h"
#include "samples/ladder/v0.h"
#include "samples/ladder/v1.h"
#include "samples/ladder/v2.h"
#include "samples/ladder/v4.h"
#include "samples/ladder/v5.h"

namespace sample {

namespace {

using ladder::LadderConfig;
using warpline::MatmulKernel;

std::string tile_of(const MatmulKernel& kernel) {
  return fmt::format("{}x{}x{}/{}", kernel.block_m, kernel.block_n, kernel.block_k, kernel.stages);
}

/// As few CTAs as have a tile that hangs over in each dimension; every stage is filled three times.
MatmulSize size_for(const MatmulKernel& kernel) {
  const bool persistent = std::string(kernel.name).starts_with("cooperative");
  const int k_tiles = 2 * kernel.stages + 1;
  MatmulSize size{.m = 40,
                  .n = kernel.block_n + 8,
                  .k = kernel.static_k != 0 ? kernel.static_k : k_tiles * kernel.block_k - 8};
  if (kernel.static_n != 0) {
    size.n = kernel.static_n;
  }
  if (persistent) {  // two tiles for each of the simulator's four CTAs, fewer tiles of K
    size.m = 3 * kernel.block_m + 8;
    size.k = (kernel.stages + 1) * kernel.block_k - 8;
  }
  return size;
}

template <template <LadderConfig> class Version, LadderConfig Config>
MatmulKernel version(const char* name) {
  return warpline::MatmulEntry<ladder::LadderHost<Version<Config>, Config>>::line(name);
}

Subject subject_of(const MatmulKernel& kernel) {
  return matmul_subject(fmt::format("{}/{}", kernel.name, tile_of(kernel)), kernel,
                        size_for(kernel));
}

}  // namespace

std::vector<Subject> matmul_subjects() {
  std::vector<MatmulKernel> kernels = warpline::simulator_matmul_kernels();
  // The same code as with smaller constants, and hours of it.
  std::erase_if(kernels, [](const MatmulKernel& kernel) { return kernel.static_k > 1024; });
  const auto rank = [](const MatmulKernel& kernel) {
    return std::make_tuple(std::string(kernel.name), kernel.block_m * kernel.block_n,
                           kernel.block_k, kernel.stages);
  };
  std::sort(kernels.begin(), kernels.end(),
            [&](const MatmulKernel& a, const MatmulKernel& b) { return rank(a) < rank(b); });
  // The cooperative kernel's code in a size that does not take minutes comes before the real ones.
  using warpline::CooperativeConfig;
  using warpline::CooperativeEntry;
  kernels.insert(
      kernels.begin(),
      {CooperativeEntry<CooperativeConfig{.stages = 2, .block_n = 128, .block_k = 16}>::line(
           "cooperative"),
       CooperativeEntry<CooperativeConfig{
           .stages = 2, .block_n = 128, .block_k = 16, .cluster_m = 1}>::
           line("cooperative.no_cluster")});
  std::vector<Subject> subjects;
  for (const MatmulKernel& kernel : kernels) {
    subjects.push_back(subject_of(kernel));
  }
  return subjects;
}

std::vector<Subject> ladder_subjects() {
  // Small ones first, in which nothing takes long; then what is built. (v3 is warp_specialized.)
  std::vector<MatmulKernel> kernels = {
      version<ladder::V0, LadderConfig{.stages = 1, .block_k = 16}>("ladder_v0"),
      version<ladder::V1, LadderConfig{.stages = 1, .block_k = 16}>("ladder_v1"),
      version<ladder::V2, LadderConfig{.stages = 2, .block_n = 64, .block_k = 16}>("ladder_v2"),
      version<ladder::V4, LadderConfig{.stages = 2, .block_n = 64, .block_k = 16}>("ladder_v4"),
      version<ladder::V5, LadderConfig{.stages = 2, .block_n = 64, .block_k = 16}>("ladder_v5")};
  const std::vector<MatmulKernel>& built = ladder::simulator_kernels();
  kernels.insert(kernels.end(), built.begin(), built.end());
  std::vector<Subject> subjects;
  for (const MatmulKernel& kernel : kernels) {
    Subject subject = subject_of(kernel);
    // The smallest v4 is built, too.
    if (std::none_of(subjects.begin(), subjects.end(),
                     [&](const Subject& other) { return other.name == subject.name; })) {
      subjects.push_back(std::move(subject));
    }
  }
  return subjects;
}

}  // namespace sample
