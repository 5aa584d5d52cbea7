// launch: starts a kernel. A kernel is a function object:
//
//   struct Kernel {
//     using Roles = RoleList<...>;                       // its warps
//     struct Arguments { ... };                          // plain data, TensorMaps
//     struct SharedMemory { ... };                       // Ring::Storage, tiles
//     static constexpr LaunchConfig launch{...};
//     WARPLINE_DEVICE void operator()(const Arguments&, SharedMemory&) const;
//   };
#pragma once

#include <type_traits>

#include "warpline/isa/launch_grid.h"
#include "warpline/plan.h"

namespace warpline::inline WARPLINE_TARGET {

struct LaunchConfig {
  const char* name = "kernel";
  /// CTAs of this kernel that must fit on one multiprocessor together; bounds the registers.
  int min_ctas_per_sm = 1;
  /// Registers per thread at launch. Needed if a role asks for registers; checked against the
  /// compiled kernel.
  int registers = 0;
  ClusterShape cluster = {};
};

template <class K>
concept Kernel = std::is_trivially_copyable_v<typename K::Arguments> && requires {
  typename K::SharedMemory;
  { K::Roles::threads } -> std::convertible_to<int>;
} && std::is_same_v<std::remove_cv_t<decltype(K::launch)>, LaunchConfig>;

struct LaunchOptions {
  /// The kernel may start before its predecessor on the stream has ended: only for kernels that
  /// wait for it themselves (isa/dependent_launch.h).
  bool dependent = false;
};

/// What the launch of `grid` CTAs of the kernel asks for.
template <Kernel K>
isa::GridShape shape_of(isa::Index3 grid, const LaunchOptions& options = {}) {
  return {.grid = grid,
          .cluster = K::launch.cluster,
          .threads = K::Roles::threads,
          .shared_bytes = static_cast<int64_t>(sizeof(typename K::SharedMemory)),
          .registers = K::launch.registers,
          .min_ctas_per_sm = K::launch.min_ctas_per_sm,
          .name = K::launch.name,
          .dependent = options.dependent};
}

/// Queues `grid` CTAs of the kernel (a multiple of its cluster in each dimension). On the
/// simulator, runs them.
template <Kernel K>
void launch(const Stream& stream, isa::Index3 grid, const typename K::Arguments& arguments,
            const LaunchOptions& options = {}) {
  static_assert(alignof(typename K::SharedMemory) <= 1024,
                "SharedMemory asks for more than the 1024-byte alignment of shared memory");
  static_assert(K::launch.cluster.x >= 1 && K::launch.cluster.y >= 1 &&
                    K::launch.cluster.x * K::launch.cluster.y <= 16,
                "a cluster has 1 to 16 CTAs");
  if constexpr (requires { typename K::Ring; }) {
    static_assert(
        K::Ring::config.cluster.x == K::launch.cluster.x &&
            K::Ring::config.cluster.y == K::launch.cluster.y,
        "the kernel's LaunchConfig::cluster and its Ring's PipelineConfig::cluster differ");
  }
  static_assert(FitsSharedMemory<static_cast<int>(sizeof(typename K::SharedMemory))>::value);
  const auto check = [&](uint32_t size, int cluster, uint32_t most, const char* axis) {
    if (size == 0 || size > most) {
      throw Error(std::string("kernel ") + K::launch.name + ": a grid of " + std::to_string(size) +
                  " CTAs in " + axis + "; 1 to " + std::to_string(most) + " are possible");
    }
    if (size % static_cast<uint32_t>(cluster) != 0) {
      throw Error(std::string("kernel ") + K::launch.name + ": a grid of " + std::to_string(size) +
                  " CTAs in " + axis + " is no multiple of the cluster's " +
                  std::to_string(cluster));
    }
  };
  check(grid.x, K::launch.cluster.x, 0x7fffffff, "x");
  check(grid.y, K::launch.cluster.y, 65535, "y");
  check(grid.z, 1, 65535, "z");
  isa::launch_grid<K>(stream, shape_of<K>(grid, options), arguments);
}

/// How many clusters of the kernel (CTAs, if it has none) run at once on the current device: what a
/// persistent kernel starts.
template <Kernel K>
int resident_clusters() {
  if constexpr (K::launch.cluster.x * K::launch.cluster.y == 1) {
    return isa::multiprocessors() * K::launch.min_ctas_per_sm;
  } else {
    return isa::resident_clusters<K>(shape_of<K>({}, {}));
  }
}

/// Loads the kernel and checks it, as its first launch would: launches that follow do not wait for
/// that, nor does one that a graph captures.
template <Kernel K>
void prepare() {
  isa::prepare_kernel<K>(shape_of<K>({}, {}));
}

/// Waits for all work queued on `stream`; throws what went wrong, in checked builds with who waited
/// for what.
inline void synchronize(const Stream& stream) { isa::synchronize_stream(stream); }

}  // namespace warpline::inline WARPLINE_TARGET
