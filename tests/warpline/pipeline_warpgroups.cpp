// Two warpgroups that multiply the halves of one A tile: as one role of eight warps, and as two
// roles.
#include "tests/warpline/product.h"
#include "warpline/deferred_release.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct WarpgroupProducer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Both {
  static constexpr RoleConfig config{.name = "consumer", .warps = 8, .multiplies = true};
};
struct Upper {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
struct Lower {
  static constexpr RoleConfig config{.name = "second consumer", .warps = 4, .multiplies = true};
};

using Product = tests::Product<128, 16>;

template <class Roles, class Ring>
struct Fill {
  Ring& ring;
  const Product::Arguments& arguments;

  WARPLINE_DEVICE void operator()(const ThreadGroup<Roles, WarpgroupProducer>& group) const {
    auto end = ring.producer(group);
    for (int tile = 0; tile < arguments.tiles(); ++tile) {
      int k = 0;
      for (auto slot : end.fill(arguments.k_tiles)) {
        slot.load(slot->a, arguments.a, {arguments.row(tile), k});
        slot.load(slot->b, arguments.b, {arguments.column(tile), k});
        k += Product::depth;
      }
    }
  }
};

/// The rows from `Begin` on, by one warpgroup.
template <int Begin, bool Deferred, class End>
WARPLINE_DEVICE void multiply_half(End& end, const Product::Arguments& arguments, uint32_t rank) {
  Accumulator<64, Product::columns> sums;
  for (int tile = 0; tile < arguments.tiles(); ++tile) {
    sums.clear();
    if constexpr (Deferred) {
      DeferredRelease deferred(end);
      for (auto slot : end.read(arguments.k_tiles)) {
        deferred.push(slot, mma(sums, slot->a.template row_slice<Begin, 64>(), slot->b));
      }
      deferred.flush(sums);
    } else {
      for (auto slot : end.read(arguments.k_tiles)) {
        slot.release_after(mma(sums, slot->a.template row_slice<Begin, 64>(), slot->b));
      }
    }
    arguments.template store<64>(sums, tile, Begin, rank);
  }
}

template <int Stages, Release Policy, bool Deferred>
struct OneRoleKernel {
  using Product = warpline::tests::Product<128, 16>;
  using Roles = RoleList<Both, WarpgroupProducer>;
  using Ring = Pipeline<Product::Stage, PipelineConfig{.stages = Stages, .release = Policy},
                        FilledByCopies<WarpgroupProducer>, ReadByTensorCores<Both>>;
  using Arguments = Product::Arguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "one_role"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(Fill<Roles, Ring>{ring, arguments}, [&](const ThreadGroup<Roles, Both>& group) {
      auto end = ring.consumer(group);
      const uint32_t rank = group.thread_rank() % threads_per_warpgroup;
      if (group.warpgroup_rank() == 0) {
        multiply_half<0, Deferred>(end, arguments, rank);
      } else {
        multiply_half<64, Deferred>(end, arguments, rank);
      }
    });
  }
};

template <int Stages, Release Policy, bool Deferred>
struct TwoRolesKernel {
  using Product = warpline::tests::Product<128, 16>;
  using Roles = RoleList<Lower, Upper, WarpgroupProducer>;
  using Ring = Pipeline<Product::Stage, PipelineConfig{.stages = Stages, .release = Policy},
                        FilledByCopies<WarpgroupProducer>, ReadByTensorCores<Upper, Lower>>;
  using Arguments = Product::Arguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "two_roles"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        Fill<Roles, Ring>{ring, arguments},
        [&](const ThreadGroup<Roles, Upper>& group) {
          auto end = ring.consumer(group);
          multiply_half<0, Deferred>(end, arguments, group.thread_rank());
        },
        [&](const ThreadGroup<Roles, Lower>& group) {
          auto end = ring.consumer(group);
          multiply_half<64, Deferred>(end, arguments, group.thread_rank());
        });
  }
};

template <template <int, Release, bool> class Kernel>
void check_halves() {
  const auto once = [](int) { return 1; };
  for (const int k_tiles : {1, 2, 3, 4, 7}) {
    check_product<Kernel<2, Release::per_thread, false>>(2, k_tiles, 2, once);
    check_product<Kernel<3, Release::per_warp, false>>(2, k_tiles, 2, once);
    check_product<Kernel<3, Release::per_warpgroup, false>>(2, k_tiles, 2, once);
    check_product<Kernel<2, Release::per_warp, true>>(2, k_tiles, 2, once);
    check_product<Kernel<4, Release::per_warpgroup, true>>(2, k_tiles, 2, once);
  }
}

TEST_CASE("a role of two warpgroups") { check_halves<OneRoleKernel>(); }
TEST_CASE("two roles of a warpgroup each") { check_halves<TwoRolesKernel>(); }

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
