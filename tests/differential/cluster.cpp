// Clusters of 2x1, 1x2, 2x2 and 4x1: ranks, multicast loads, bulk copies to peers, remote arrivals,
// the cluster barrier.
#include "warpline/isa/cluster.h"

#include "tests/differential/probe.h"
#include "tests/differential/tensor_cases.h"
#include "tests/support/catch.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/tensor_copy.h"
#include "warpline/isa/tensor_map_encode.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr int max_ctas = 4;
constexpr int max_copies = 4;
constexpr uint32_t dump_bytes = 16 * 1024;
constexpr uint32_t box_columns = 32;
constexpr uint32_t box_rows = 8;
constexpr uint32_t box_bytes = box_columns * box_rows * 2;
constexpr uint32_t tensor_columns = 80;
constexpr uint32_t tensor_rows = 50;

/// One box that a CTA loads into all CTAs of `mask`.
struct MulticastLoad {
  int32_t at[2];
  uint32_t shared;
  uint32_t mask;
};

/// Bytes that a CTA sends to another.
struct Send {
  uint32_t from;
  uint32_t to;
  uint32_t bytes;
  uint32_t rank;
};

struct Work {
  MulticastLoad loads[max_copies];
  Send sends[max_copies];
  int load_count;
  int send_count;
  uint32_t loaded_bytes;    ///< that this CTA receives by loads
  uint32_t received_bytes;  ///< and from peers
};

/// What each CTA reports beside its shared memory.
struct Facts {
  uint32_t rank;
  uint32_t index[3];
  uint32_t block[3];
  uint32_t early;  ///< whether the arrivals' phase was over before this CTA's own arrival
};

template <int X, int Y>
struct ClusterProbe {
  using Roles = RoleList<ProbeRole>;
  static constexpr int ctas = X * Y;
  struct Arguments {
    isa::TensorMapWords map;
    Work work[max_ctas];
    uint32_t* dump;
    Facts* facts;
    uint32_t seed;
  };
  struct SharedMemory {
    alignas(1024) uint32_t words[dump_bytes / 4];
    isa::Mbarrier loaded;
    isa::Mbarrier received;
    isa::Mbarrier arrived;
  };
  static constexpr LaunchConfig launch{.name = "cluster probe", .cluster = {.x = X, .y = Y}};

  static WARPLINE_DEVICE void cluster_sync() {
    isa::cluster_arrive();
    isa::cluster_wait();
  }

  static WARPLINE_DEVICE uint32_t linear_index() {
    return isa::block_index().x + isa::grid_size().x * isa::block_index().y;
  }

  static WARPLINE_DEVICE void report(const Arguments& args, uint32_t rank, uint32_t early) {
    const auto index = isa::cluster_cta_index();
    const auto block = isa::block_index();
    isa::store_global(&args.facts[linear_index()], Facts{.rank = rank,
                                                         .index = {index.x, index.y, index.z},
                                                         .block = {block.x, block.y, block.z},
                                                         .early = early});
  }

  static WARPLINE_DEVICE void prepare(const Arguments& args, SharedMemory& shared) {
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.loaded, 1);
      isa::mbarrier_init(shared.received, 1);
      isa::mbarrier_init(shared.arrived, ctas * 2);
      isa::fence_mbarrier_init();
    }
    // The upper half is to be sent, the lower half to be loaded and received into.
    const uint32_t rank = isa::cluster_cta_rank();
    for (uint32_t i = isa::thread_index(); i < dump_bytes / 4; i += probe_threads) {
      isa::store_shared(shared.words[i],
                        i < dump_bytes / 8 ? canary_word : pattern(args.seed + rank, i));
    }
    isa::fence_proxy_async_shared();
    cluster_sync();
  }

  static WARPLINE_DEVICE void copy(const Work& work, const Arguments& args, SharedMemory& shared) {
    isa::mbarrier_arrive_expect_tx(shared.loaded, work.loaded_bytes);
    isa::mbarrier_arrive_expect_tx(shared.received, work.received_bytes);
    for (int i = 0; i < work.load_count; ++i) {
      const MulticastLoad& load = work.loads[i];
      const int32_t at[2] = {load.at[0], load.at[1]};
      isa::tensor_load_multicast(&shared.words[load.shared / 4], args.map, at, shared.loaded,
                                 static_cast<uint16_t>(load.mask));
    }
    for (int i = 0; i < work.send_count; ++i) {
      const Send& send = work.sends[i];
      isa::bulk_send(&shared.words[send.to / 4], &shared.words[send.from / 4], send.bytes,
                     shared.received, send.rank);
    }
  }

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    prepare(args, shared);
    const uint32_t rank = isa::cluster_cta_rank();
    const Work& work = args.work[rank];
    if (isa::thread_index() == 0) {
      const uint32_t early = isa::mbarrier_test_wait(shared.arrived, 0) ? 1 : 0;
      report(args, rank, early);
      copy(work, args, shared);
    }
    isa::syncthreads();
    // Two warps of every CTA arrive at every CTA, itself included.
    if (isa::thread_index() % 64 == 5) {
      for (uint32_t peer = 0; peer < ctas; ++peer) {
        isa::mbarrier_arrive_remote(shared.arrived, (rank + peer) % ctas);
      }
    }
    bounded_wait(shared.loaded, 0);
    bounded_wait(shared.received, 0);
    bounded_wait(shared.arrived, 0);
    dump_shared(args.dump + linear_index() * (dump_bytes / 4), shared.words, dump_bytes / 4);
    cluster_sync();
  }
};

struct ClusterCase {
  std::string name;
  uint32_t seed;
  Work work[max_ctas] = {};
  Bytes tensor;
  std::vector<Bytes> shared;  ///< expected, of each CTA of a cluster
};

void expect_multicast(ClusterCase& test, const MulticastLoad& load, Bytes& shared) {
  for (uint32_t r = 0; r < box_rows; ++r) {
    for (uint32_t c = 0; c < box_columns; ++c) {
      const int64_t row = load.at[1] + static_cast<int64_t>(r);
      const int64_t column = load.at[0] + static_cast<int64_t>(c);
      const bool inside = row >= 0 && row < tensor_rows && column >= 0 && column < tensor_columns;
      uint16_t bits = 0;
      if (inside) {
        std::memcpy(&bits,
                    &test.tensor[static_cast<std::size_t>(row * tensor_columns + column) * 2], 2);
      }
      const uint32_t place =
          swizzled_place(load.shared + (r * box_columns + c) * 2, box_columns * 2);
      std::memcpy(&shared[place], &bits, 2);
    }
  }
}

void draw_loads(Dice& dice, ClusterCase& test, uint32_t ctas, uint32_t& next) {
  for (uint32_t rank = 0; rank < ctas; ++rank) {
    Work& work = test.work[rank];
    for (work.load_count = 0; work.load_count < dice.between(1, max_copies); ++work.load_count) {
      MulticastLoad& load = work.loads[work.load_count];
      load.at[0] = 8 * dice.between(-4, 10);
      load.at[1] = dice.between(-8, static_cast<int>(tensor_rows));
      load.shared = next;
      next += box_bytes;
      load.mask = static_cast<uint32_t>(dice.between(1, (1 << ctas) - 1));
      for (uint32_t target = 0; target < ctas; ++target) {
        if ((load.mask >> target & 1) != 0) {
          test.work[target].loaded_bytes += box_bytes;
          expect_multicast(test, load, test.shared[target]);
        }
      }
    }
  }
}

void draw_sends(Dice& dice, ClusterCase& test, uint32_t ctas, uint32_t next) {
  for (uint32_t rank = 0; rank < ctas; ++rank) {
    Work& work = test.work[rank];
    for (work.send_count = 0; work.send_count < dice.between(1, max_copies); ++work.send_count) {
      Send& send = work.sends[work.send_count];
      send.bytes = static_cast<uint32_t>(16 * dice.between(1, 20));
      if (next + send.bytes > dump_bytes / 2) {
        return;
      }
      send.to = next;
      next += send.bytes;
      send.from =
          dump_bytes / 2 + static_cast<uint32_t>(16 * dice.between(0, dump_bytes / 32 - 20));
      send.rank = static_cast<uint32_t>(dice.between(0, static_cast<int>(ctas) - 1));
      test.work[send.rank].received_bytes += send.bytes;
      std::memcpy(&test.shared[send.rank][send.to], &test.shared[rank][send.from], send.bytes);
    }
  }
}

ClusterCase cluster_case(uint32_t seed, uint32_t ctas) {
  Dice dice(seed * 8 + ctas);
  ClusterCase test;
  test.seed = seed;
  test.tensor = filled(tensor_rows * tensor_columns * 2, seed + 50);
  for (uint32_t rank = 0; rank < ctas; ++rank) {
    Bytes shared = filled(dump_bytes, seed + rank);
    std::fill_n(shared.begin(), dump_bytes / 2, canary);
    test.shared.push_back(std::move(shared));
  }
  uint32_t next = 0;
  draw_loads(dice, test, ctas, next);
  draw_sends(dice, test, ctas, next);
  return test;
}

/// Two clusters in each dimension of the grid.
template <int X, int Y>
Bytes run_cluster(const ClusterCase& test, const Stream& stream) {
  using Probe = ClusterProbe<X, Y>;
  constexpr std::size_t ctas = std::size_t{4} * X * Y;
  const TargetBytes tensor(test.tensor);
  const TargetBytes out(Bytes(ctas * (dump_bytes + sizeof(Facts)), 0));
  typename Probe::Arguments args{};
  isa::TensorDescription description;
  description.base = tensor.data();
  description.extent[0] = tensor_columns;
  description.extent[1] = tensor_rows;
  description.stride_bytes[1] = std::uint64_t{tensor_columns} * 2;
  description.box[0] = box_columns;
  description.box[1] = box_rows;
  description.swizzle_span = box_columns * 2;
  isa::encode_tensor_map(args.map, description);
  std::copy_n(test.work, max_ctas, args.work);
  args.dump = reinterpret_cast<uint32_t*>(out.data());
  args.facts = reinterpret_cast<Facts*>(out.data() + ctas * dump_bytes);
  args.seed = test.seed;
  run_probe<Probe>(stream, {2 * X, 2 * Y, 1}, args);
  return out.read();
}

template <int X, int Y>
Bytes expected_cluster(const ClusterCase& test) {
  Bytes result;
  std::vector<Facts> facts;
  for (uint32_t y = 0; y < 2 * Y; ++y) {
    for (uint32_t x = 0; x < 2 * X; ++x) {
      const uint32_t rank = x % X + y % Y * X;
      result.insert(result.end(), test.shared[rank].begin(), test.shared[rank].end());
      facts.push_back({.rank = rank, .index = {x % X, y % Y, 0}, .block = {x, y, 0}, .early = 0});
    }
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(facts.data());
  result.insert(result.end(), bytes, bytes + facts.size() * sizeof(Facts));
  return result;
}

template <int X, int Y>
void check_clusters(Results& results) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    ClusterCase test = cluster_case(seed, X * Y);
    test.name = std::to_string(X) + "x" + std::to_string(Y) + "_seed" + std::to_string(seed);
    INFO(test.name);
    for (const Stream& stream : all_streams(seed)) {
      const Bytes found = run_cluster<X, Y>(test, stream);
      CHECK(first_difference(found, expected_cluster<X, Y>(test)) == "");
      CHECK(results.difference(test.name, found) == "");
    }
  }
}

TEST_CASE("differential: clusters") {
  Results results("cluster", on_gpu);
  check_clusters<2, 1>(results);
  check_clusters<1, 2>(results);
  check_clusters<2, 2>(results);
  check_clusters<4, 1>(results);
  CHECK(results.forgotten() == "");
  if (!results.recorded()) {
    SKIP("no recorded results");
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
