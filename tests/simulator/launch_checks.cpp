// What cannot be started is refused before anything runs; and barriers know who has left.
#include <cuda_fp16.h>

#include <stdexcept>

#include "simulator/simulate.h"
#include "tests/support/catch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace {

namespace simulator = warpline::simulator;

std::string refusal(const simulator::Launch& launch, const simulator::Options& options = {}) {
  bool ran = false;
  try {
    simulator::simulate(launch, options, [&](void*) { ran = true; });
  } catch (const std::invalid_argument& error) {
    return ran ? "refused after it had run" : error.what();
  }
  return "";
}

simulator::Launch grid_of(unsigned ctas, unsigned cluster) {
  simulator::Launch launch;
  launch.grid = {ctas, 1, 1};
  launch.cluster = {cluster, 1, 1};
  return launch;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("launches and options that cannot be") {
  CHECK(refusal(grid_of(4, 2)).empty());
  CHECK(contains(refusal(grid_of(3, 2)), "a grid of 3 CTAs in clusters of 2"));
  CHECK(contains(refusal(grid_of(0, 1)), "neither may be zero"));
  CHECK(contains(refusal(grid_of(4, 0)), "neither may be zero"));
  CHECK(contains(refusal(grid_of(32, 32)), "at most 16 CTAs"));
  simulator::Launch launch;
  launch.threads = 0;
  CHECK(contains(refusal(launch), "0 threads"));
  launch.threads = 1025;
  CHECK(contains(refusal(launch), "1025 threads"));
  launch.threads = 32;
  launch.shared_bytes = 232449;
  CHECK(contains(refusal(launch), "232449 bytes of shared memory"));
  simulator::Options none;
  none.resident_clusters = 0;
  CHECK(contains(refusal(grid_of(1, 1), none), "resident_clusters is 0"));
}

TEST_CASE("the cluster's barrier does not wait for threads that have left") {
  simulator::Launch launch = grid_of(4, 2);
  launch.threads = 64;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    unsigned passed = 0;
    simulator::Options options;
    options.seed = seed;
    simulator::simulate(launch, options, [&](void*) {
      if (simulator::thread_index() >= 32) {
        return;
      }
      simulator::cluster_arrive();
      simulator::cluster_wait();
      ++passed;
    });
    CHECK(passed == 4 * 32);
  }
}

TEST_CASE("arriving twice at the cluster's barrier") {
  simulator::Launch launch = grid_of(1, 1);
  CHECK_THROWS_AS(simulator::simulate(launch, {},
                                      [](void*) {
                                        simulator::cluster_arrive();
                                        simulator::cluster_arrive();
                                      }),
                  simulator::SimulationFault);
}

}  // namespace

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Loader {
  static constexpr RoleConfig config{.name = "loader", .warps = 1};
};
struct Reader {
  static constexpr RoleConfig config{.name = "reader", .warps = 1};
};
struct Stage {
  SharedArray<int, 32> values;
};

/// Reads stages of 32 ints; `releases` times each.
struct ReleasingKernel {
  using Roles = RoleList<Loader, Reader>;
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<Loader>, ReadByThreads<Reader>>;
  struct Arguments {
    const int* in;
    int releases;
  };
  using SharedMemory = Ring::Storage;
  static constexpr LaunchConfig launch{.name = "releasing"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    Ring ring(shared);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Loader>& group) {
          auto end = ring.producer(group);
          for (auto slot : end.fill(3)) {
            slot.load(slot->values, args.in);
          }
        },
        [&](const ThreadGroup<Roles, Reader>& group) {
          auto end = ring.consumer(group);
          for (auto slot : end.read(3)) {
            for (int i = 0; i < args.releases; ++i) {
              slot.release();
            }
          }
        });
  }
};

TEST_CASE("a slot that is handed on twice is named where it happens") {
  alignas(16) int in[32] = {};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Stream stream;
    stream.options.seed = seed;
    launch<ReleasingKernel>(stream, {1, 1, 1}, {in, 1});
    try {
      launch<ReleasingKernel>(stream, {1, 1, 1}, {in, 2});
      FAIL("no fault");
    } catch (const simulator::SimulationFault& fault) {
      CHECK(fault.report.kind == simulator::FaultKind::mbarrier_misuse);
      CHECK(fault.report.role == "reader");
      CHECK(contains(fault.what(), "a slot of stage[0] is used that was already handed on"));
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("a slice of a tile whose first row is known at run time") {
  using Tile = SharedTile<__half, 128, 64>;
  const auto slice_from = [](int begin) {
    simulator::Launch launch;
    launch.shared_bytes = sizeof(Tile);
    simulator::simulate(launch, {}, [begin](void* shared) {
      (void)static_cast<const Tile*>(shared)->row_slice<64>(begin);
    });
  };
  CHECK_NOTHROW(slice_from(0));
  CHECK_NOTHROW(slice_from(64));
  for (const int begin : {4, -8, 72}) {
    CHECK_THROWS_AS(slice_from(begin), simulator::SimulationFault);
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
