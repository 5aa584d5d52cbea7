// Roles: where their warps are, what their threads are called, which code they run, and how
// registers change hands.
#include <type_traits>

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/isa/memory.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Wide {
  static constexpr RoleConfig config{.name = "wide", .warps = 8};
};
struct Lone {
  static constexpr RoleConfig config{.name = "lone", .warps = 1};
};
struct Pair {
  static constexpr RoleConfig config{.name = "pair", .warps = 2};
};
struct Single {
  static constexpr RoleConfig config{.name = "single", .warps = 1};
};
struct Multiplier {
  static constexpr RoleConfig config{.name = "multiplier", .warps = 4, .multiplies = true};
};

struct Taker {
  static constexpr RoleConfig config{.name = "taker", .warps = 8, .registers = 240};
};
struct Giver {
  static constexpr RoleConfig config{.name = "giver", .warps = 4, .registers = 24};
};

// Multiplier starts at warp 12, after roles that fill whole warpgroups only together.
using Roles = RoleList<Wide, Lone, Pair, Single, Multiplier>;

TEST_CASE("a role list lays its roles out in order") {
  STATIC_REQUIRE(Roles::size == 5);
  STATIC_REQUIRE(Roles::warps == 16);
  STATIC_REQUIRE(Roles::threads == 512);
  STATIC_REQUIRE(Roles::first_warp<Wide> == 0);
  STATIC_REQUIRE(Roles::first_warp<Lone> == 8);
  STATIC_REQUIRE(Roles::first_warp<Pair> == 9);
  STATIC_REQUIRE(Roles::first_warp<Single> == 11);
  STATIC_REQUIRE(Roles::first_warp<Multiplier> == 12);
  STATIC_REQUIRE(Roles::index_of<Pair> == 2);
  STATIC_REQUIRE(Roles::index_of<int> == -1);
}

TEST_CASE("named barriers: one for each role, and one for each warpgroup of several") {
  STATIC_REQUIRE(Roles::first_barrier<Wide> == 1);
  STATIC_REQUIRE(Roles::first_barrier<Lone> == 4);
  STATIC_REQUIRE(Roles::first_barrier<Pair> == 5);
  STATIC_REQUIRE(Roles::first_barrier<Single> == 6);
  STATIC_REQUIRE(Roles::first_barrier<Multiplier> == 7);
}

TEST_CASE("registers fit if what some give up is what others take") {
  using Handing = RoleList<Taker, Giver>;
  STATIC_REQUIRE(Handing::any_registers);
  STATIC_REQUIRE(Handing::registers_fit(168));
  STATIC_REQUIRE_FALSE(Handing::registers_fit(160));
  STATIC_REQUIRE_FALSE(Roles::any_registers);
}

struct Seen {
  int32_t role;
  int32_t thread_rank;
  int32_t warp_rank;
  int32_t warpgroup_rank;
  int32_t elected;
  int32_t leader;
  int32_t warpgroup_leader;
  bool operator==(const Seen&) const = default;
};

/// Every thread writes down what its group says.
struct SeenKernel {
  using Roles = tests::Roles;
  struct Arguments {
    Seen* out;
  };
  struct SharedMemory {
    int nothing;
  };
  static constexpr LaunchConfig launch{.name = "seen"};

  template <int Role, class Group>
  static WARPLINE_DEVICE void write(const Arguments& arguments, const Group& group) {
    isa::store_global(arguments.out + isa::thread_index(),
                      Seen{.role = Role,
                           .thread_rank = static_cast<int32_t>(group.thread_rank()),
                           .warp_rank = static_cast<int32_t>(group.warp_rank()),
                           .warpgroup_rank = static_cast<int32_t>(group.warpgroup_rank()),
                           .elected = group.elected(),
                           .leader = group.leader(),
                           .warpgroup_leader = group.warpgroup_leader()});
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory&) const {
    // In another order than the list's: what counts is the type.
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Multiplier>& group) { write<4>(arguments, group); },
        [&](const ThreadGroup<Roles, Single>& group) { write<3>(arguments, group); },
        [&](const ThreadGroup<Roles, Pair>& group) { write<2>(arguments, group); },
        [&](const ThreadGroup<Roles, Wide>& group) { write<0>(arguments, group); },
        [&](const ThreadGroup<Roles, Lone>& group) { write<1>(arguments, group); });
  }
};

TEST_CASE("each thread runs its role's code and knows its place") {
  const DeviceArray<Seen> out{std::vector<Seen>(Roles::threads)};
  on_every_schedule(5, [&](const Stream& stream) {
    launch<SeenKernel>(stream, {1, 1, 1}, {out.data()});
    const std::vector<Seen> seen = out.values();
    constexpr int first_thread[] = {0, 256, 288, 352, 384, 512};
    int elected = 0;
    int leaders[5] = {};
    int warpgroup_leaders[5] = {};
    for (int role = 0; role < 5; ++role) {
      for (int t = first_thread[role]; t < first_thread[role + 1]; ++t) {
        const Seen& thread = seen[static_cast<std::size_t>(t)];
        const int rank = t - first_thread[role];
        REQUIRE(thread.role == role);
        REQUIRE(thread.thread_rank == rank);
        REQUIRE(thread.warp_rank == rank / 32);
        REQUIRE(thread.warpgroup_rank == rank / 128);
        elected += thread.elected;
        leaders[role] += thread.leader;
        warpgroup_leaders[role] += thread.warpgroup_leader;
        REQUIRE((thread.leader == 0 || (thread.elected == 1 && thread.warp_rank == 0)));
      }
      REQUIRE(leaders[role] == 1);
    }
    REQUIRE(elected == Roles::warps);
    REQUIRE(warpgroup_leaders[0] == 2);
    REQUIRE(warpgroup_leaders[4] == 1);
  });
}

/// Neighbours exchange through shared memory again and again, first all of a role, then a
/// warpgroup.
struct SyncKernel {
  using Roles = tests::Roles;
  struct Arguments {
    int32_t* out;
  };
  struct SharedMemory {
    int32_t values[Roles::threads];
  };
  static constexpr LaunchConfig launch{.name = "sync"};

  template <class Sync>
  static WARPLINE_DEVICE void turn(SharedMemory& shared, int first, int count, Sync sync) {
    const int thread = static_cast<int>(isa::thread_index());
    const int other = first + (thread - first + 37) % count;
    const int32_t taken = isa::load_shared(shared.values[other]);
    sync();
    isa::store_shared(shared.values[thread], taken + 1);
    sync();
  }

  template <class Group>
  static WARPLINE_DEVICE void run(const Arguments& arguments, SharedMemory& shared,
                                  const Group& group) {
    const int thread = static_cast<int>(isa::thread_index());
    isa::store_shared(shared.values[thread], thread);
    group.sync();
    for (int i = 0; i < 5; ++i) {
      turn(shared, Group::first_warp * 32, Group::threads, [&] { group.sync(); });
      if constexpr (Group::warps % 4 == 0) {
        turn(shared, thread / 128 * 128, 128, [&] { group.sync_warpgroup(); });
        group.sync();
      }
    }
    isa::store_global(arguments.out + thread, isa::load_shared(shared.values[thread]));
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Wide>& group) { run(arguments, shared, group); },
        [&](const ThreadGroup<Roles, Lone>& group) { run(arguments, shared, group); },
        [&](const ThreadGroup<Roles, Pair>& group) { run(arguments, shared, group); },
        [&](const ThreadGroup<Roles, Single>& group) { run(arguments, shared, group); },
        [&](const ThreadGroup<Roles, Multiplier>& group) { run(arguments, shared, group); });
  }
};

TEST_CASE("roles and warpgroups meet among themselves") {
  std::vector<int32_t> expected(Roles::threads);
  constexpr int first_thread[] = {0, 256, 288, 352, 384, 512};
  for (int t = 0; t < Roles::threads; ++t) {
    expected[static_cast<std::size_t>(t)] = t;
  }
  const auto turn = [&](int begin, int end) {
    const std::vector<int32_t> before = expected;
    for (int t = begin; t < end; ++t) {
      expected[static_cast<std::size_t>(t)] =
          before[static_cast<std::size_t>(begin + (t - begin + 37) % (end - begin))] + 1;
    }
  };
  for (int role = 0; role < 5; ++role) {
    for (int i = 0; i < 5; ++i) {
      turn(first_thread[role], first_thread[role + 1]);
      if (role == 0 || role == 4) {
        for (int begin = first_thread[role]; begin < first_thread[role + 1]; begin += 128) {
          turn(begin, begin + 128);
        }
      }
    }
  }
  DeviceArray<int32_t> out(expected);
  on_every_schedule(10, [&](const Stream& stream) {
    out.assign(std::vector<int32_t>(expected.size(), -1));
    launch<SyncKernel>(stream, {1, 1, 1}, {out.data()});
    REQUIRE(out.values() == expected);
  });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
