// Stores by the copy engine: what the issuing threads owe it before, and what they must wait for
// after.
#include "tests/support/faults.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/bulk_group.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/tensor_copy.h"
#include "warpline/make_tensor_map.h"

namespace warpline::tests {
namespace {

constexpr int tiles = 6;
constexpr int buffers = 2;
constexpr int threads = 64;
using Tile = SharedTile<int32_t, 8, 32>;

struct Shared {
  Tile tile[buffers];
};

enum class Mutation {
  none,
  no_fence,
  fence_by_the_leader_only,
  fence_before_the_write,
  no_synchronisation,
  waits_too_late,
  no_wait,
  no_commit,
  leaves_too_early,
};

/// One warp pair writes tiles to global memory through two buffers in turn.
class RawStores {
 public:
  explicit RawStores(Mutation mutation = Mutation::none)
      : mutation_(mutation),
        out_(tiles * Tile::rows * Tile::columns),
        map_(make_tensor_map<Tile>(
            MatrixView<int32_t>{out_.data(), tiles * Tile::rows, Tile::columns, Tile::columns},
            "out", MapUse::store)) {}

  void run(const simulator::Options& options) {
    std::fill(out_.begin(), out_.end(), -1);
    simulate_with<Shared>(one_cta<Shared>(threads), options,
                          [this](Shared& shared) { thread(shared); });
  }
  const std::vector<int32_t>& out() const { return out_; }

 private:
  bool is(Mutation mutation) const { return mutation_ == mutation; }

  void thread(Shared& shared) {
    const auto thread = static_cast<int>(isa::thread_index());
    const bool leader = thread == 0;
    for (int tile = 0; tile < tiles; ++tile) {
      if (leader && !is(Mutation::no_wait)) {
        if (is(Mutation::waits_too_late)) {
          isa::bulk_wait_group_read<buffers>();
        } else {
          isa::bulk_wait_group_read<buffers - 1>();
        }
      }
      isa::syncthreads();
      if (is(Mutation::fence_before_the_write)) {
        isa::fence_proxy_async_shared();
      }
      Tile& buffer = shared.tile[tile % buffers];
      for (int i = thread; i < Tile::rows * Tile::columns; i += threads) {
        buffer.store(i / Tile::columns, i % Tile::columns, tile * 1000 + i);
      }
      if (!is(Mutation::no_fence) && !is(Mutation::fence_before_the_write) &&
          (leader || !is(Mutation::fence_by_the_leader_only))) {
        isa::fence_proxy_async_shared();
      }
      if (!is(Mutation::no_synchronisation)) {
        isa::syncthreads();
      }
      if (leader) {
        isa::tensor_store<2>(map_, {0, tile * Tile::rows}, buffer.elements);
        if (!is(Mutation::no_commit)) {
          isa::bulk_commit_group();
        }
      }
    }
    if (leader && !is(Mutation::leaves_too_early)) {
      isa::bulk_wait_group_read<0>();
    }
  }

  Mutation mutation_;
  std::vector<int32_t> out_;
  TensorMap<Tile> map_;
};

void finds(Mutation mutation, std::initializer_list<FaultKind> kinds,
           std::initializer_list<const char*> words, const Schedules& schedules = {}) {
  RawStores stores(mutation);
  faults(
      kinds, words, [&](const simulator::Options& options) { stores.run(options); }, schedules);
}

TEST_CASE("hand-written stores through two buffers are clean and right") {
  RawStores stores;
  clean([&](const simulator::Options& options) {
    stores.run(options);
    for (int i = 0; i < tiles * Tile::rows * Tile::columns; ++i) {
      const int per_tile = Tile::rows * Tile::columns;
      REQUIRE(stores.out()[static_cast<std::size_t>(i)] == i / per_tile * 1000 + i % per_tile);
    }
  });
}

TEST_CASE("a store of what was written without a proxy fence") {
  finds(Mutation::no_fence, {FaultKind::proxy_fence_missing},
        {"a tensor store reads shared memory", "ordinary write by thread (CTA 0, warp ",
         "fence_proxy_async_shared()"});
  for (const Mutation mutation :
       {Mutation::fence_by_the_leader_only, Mutation::fence_before_the_write}) {
    finds(mutation, {FaultKind::proxy_fence_missing},
          {"a tensor store reads shared memory", "no proxy fence stands between",
           // More than PTX asks for: said in the report, and no matter of strictness.
           "[rule: proxy-fence-after-write; CUDA, Asynchronous Data Copies using TMA"});
  }
}

TEST_CASE("a store of what was written by threads that did not synchronise") {
  // Which of the three depends on how far the slower threads are.
  finds(Mutation::no_synchronisation, {FaultKind::uninitialised_read, FaultKind::store_race},
        {"a tensor store reads shared memory"});
}

TEST_CASE("a buffer rewritten before its store has read it") {
  for (const Mutation mutation :
       {Mutation::waits_too_late, Mutation::no_wait, Mutation::no_commit}) {
    finds(mutation, {FaultKind::store_race},
          {"an ordinary write writes shared memory",
           "nothing orders it after a store's read of the same bytes", "wait_until_read"});
  }
}

TEST_CASE("a CTA that leaves before its store has read shared memory") {
  finds(Mutation::leaves_too_early, {FaultKind::exited_cta},
        {"CTA 0 left", "waited for a copy's read of its shared memory",
         "wait_until_read() before leaving"});
}

struct BulkShared {
  alignas(128) int32_t data[32];
};

/// Thread 0 writes, and stores all of it with one bulk copy.
auto bulk_store(bool fence, int* target, unsigned bytes, int offset = 0) {
  return [=](const simulator::Options& options) {
    simulate_with<BulkShared>(one_cta<BulkShared>(32), options, [=](BulkShared& shared) {
      if (isa::thread_index() == 0) {
        for (int i = 0; i < 32; ++i) {
          isa::store_shared(shared.data[i], i);
        }
        if (fence) {
          isa::fence_proxy_async_shared();
        }
        isa::bulk_store(target, &shared.data[offset], bytes);
        isa::bulk_commit_group();
        isa::bulk_wait_group<0>();
        CHECK(target[3] == 3 + offset);
      }
    });
  };
}

TEST_CASE("bulk stores") {
  alignas(16) int target[40] = {};
  clean(bulk_store(true, target, 128));
  clean(bulk_store(true, target, 32, 4));
  faults(FaultKind::proxy_fence_missing, {"a bulk store reads shared memory"},
         bulk_store(false, target, 128));
  faults(FaultKind::copy_misuse, {"a bulk store of 120 bytes", "multiples of 16"},
         bulk_store(true, target, 120));
  faults(FaultKind::copy_misuse, {"a bulk store of 0 bytes"}, bulk_store(true, target, 0));
  faults(FaultKind::copy_misuse, {"multiples of 16"}, bulk_store(true, target + 1, 32));
  faults(FaultKind::copy_misuse, {"not aligned to 16 bytes"}, bulk_store(true, target, 32, 1));
  faults(FaultKind::out_of_bounds, {"a bulk store of 128 bytes leaves the CTA's shared memory"},
         bulk_store(true, target, 128, 4));
}

}  // namespace
}  // namespace warpline::tests
