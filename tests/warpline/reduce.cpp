// Reductions over lanes, a role, a cluster: exact on small integers, and one result in all threads.
#include "warpline/reduce.h"

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Bystander {
  static constexpr RoleConfig config{.name = "bystander", .warps = 1};
};
template <int Warps>
struct Reducer {
  static constexpr RoleConfig config{.name = "consumer", .warps = Warps};
};

/// Two words: what is reduced need not be a number.
struct alignas(8) SumAndLargest {
  int32_t sum;
  int32_t largest;
};

WARPLINE_DEVICE SumAndLargest combine(const SumAndLargest& a, const SumAndLargest& b) {
  return {a.sum + b.sum, a.largest > b.largest ? a.largest : b.largest};
}

/// Several turns: out[CTA][turn][thread] = what that thread got. In turn t, thread i of CTA c
/// brings value(c, t, i).
template <int Warps, int Ctas>
struct ReduceKernel {
  using Consumer = Reducer<Warps>;
  using Roles = RoleList<Bystander, Consumer>;
  using Group = ThreadGroup<Roles, Consumer>;
  using Reduction = RoleReduction<SumAndLargest, Group, Ctas>;
  static constexpr int turns = 5;
  static constexpr int threads = 32 * Warps;
  struct Arguments {
    SumAndLargest* out;
  };
  struct SharedMemory {
    typename Reduction::Storage reduction;
  };
  static constexpr LaunchConfig launch{.name = "reduce", .cluster = {.x = Ctas}};

  static WARPLINE_HOST_DEVICE constexpr int32_t value(int cta, int turn, int thread) {
    return (cta * 37 + turn * 101 + thread * 13) % 229;
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    if constexpr (Ctas > 1) {
      if (isa::thread_index() == 0) {
        Reduction::prepare(shared.reduction);
      }
      isa::cluster_arrive();
      isa::cluster_wait();
    }
    dispatch<Roles>(
        [](const ThreadGroup<Roles, Bystander>&) {},
        [&](const Group& group) {
          Reduction reduce(shared.reduction, group);
          const int cta = static_cast<int>(isa::block_index().x);
          const int thread = static_cast<int>(group.thread_rank());
          const auto store = [&](int turn, const SumAndLargest& all) {
            isa::store_global(arguments.out + (cta * turns + turn) * threads + thread, all);
          };
          // By turns in one step and in two, between which the last result is stored.
          SumAndLargest last{};
          for (int turn = 0; turn < turns; ++turn) {
            const int32_t mine = value(cta, turn, thread);
            if (turn % 2 == 0) {
              last = reduce(SumAndLargest{mine, mine}, combine);
            } else {
              const SumAndLargest begun = reduce.begin(SumAndLargest{mine, mine}, combine);
              store(turn - 1, last);
              store(turn, reduce.end(begun, combine));
            }
          }
          store(turns - 1, last);
        });
  }
};

template <int Warps, int Ctas>
void check_reduction_of() {
  using Kernel = ReduceKernel<Warps, Ctas>;
  constexpr int clusters = 3;
  static constexpr auto count =
      static_cast<std::size_t>(clusters * Ctas * Kernel::turns * Kernel::threads);
  on_every_schedule(Ctas > 4 ? 1 : 4, [](const Stream& stream) {
    const DeviceArray<SumAndLargest> out(std::vector<SumAndLargest>(count, {-1, -1}));
    launch<Kernel>(stream, {clusters * Ctas, 1, 1}, {out.data()});
    const std::vector<SumAndLargest> got = out.values();
    bool right = true;
    for (int cta = 0; cta < clusters * Ctas; ++cta) {
      for (int turn = 0; turn < Kernel::turns; ++turn) {
        SumAndLargest wanted{0, 0};
        for (int peer = cta / Ctas * Ctas; peer < cta / Ctas * Ctas + Ctas; ++peer) {
          for (int thread = 0; thread < Kernel::threads; ++thread) {
            const int32_t value = Kernel::value(peer, turn, thread);
            wanted = {wanted.sum + value, value > wanted.largest ? value : wanted.largest};
          }
        }
        for (int thread = 0; thread < Kernel::threads; ++thread) {
          const auto& one = got[static_cast<std::size_t>(
              (cta * Kernel::turns + turn) * Kernel::threads + thread)];
          right = right && one.sum == wanted.sum && one.largest == wanted.largest;
        }
      }
    }
    REQUIRE(right);
  });
}

TEST_CASE("reduction over a role of one warp, and of several") {
  check_reduction_of<1, 1>();
  check_reduction_of<2, 1>();
  check_reduction_of<8, 1>();
}

TEST_CASE("reduction over a cluster") {
  check_reduction_of<2, 2>();
  check_reduction_of<4, 8>();
  check_reduction_of<2, 16>();
}

/// Warps that reduce for themselves, and exchange what came of it: a sum of all and the largest of
/// the warps' sums, turn by turn, with a reduction over all threads between. out[turn][thread].
template <int Warps>
struct WarpsKernel {
  using Consumer = Reducer<Warps>;
  using Roles = RoleList<Bystander, Consumer>;
  using Group = ThreadGroup<Roles, Consumer>;
  using Reduction = WarpsReduction<int32_t, Group>;
  static constexpr int turns = 5;
  static constexpr int threads = 32 * Warps;
  struct Arguments {
    SumAndLargest* out;
  };
  struct SharedMemory {
    typename Reduction::Storage reduction;
  };
  static constexpr LaunchConfig launch{.name = "warps"};

  static WARPLINE_HOST_DEVICE constexpr int32_t value(int turn, int thread) {
    return (turn * 101 + thread * 13) % 229 - 300;  // negative: an absent warp's 0 would be largest
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    dispatch<Roles>([](const ThreadGroup<Roles, Bystander>&) {},
                    [&](const Group& group) {
                      Reduction reduce(shared.reduction, group);
                      const auto add = [](int32_t a, int32_t b) { return a + b; };
                      const auto larger = [](int32_t a, int32_t b) { return a > b ? a : b; };
                      const int thread = static_cast<int>(group.thread_rank());
                      for (int turn = 0; turn < turns; ++turn) {
                        const int32_t of_warp = reduce.local(value(turn, thread), add);
                        const auto part = reduce.exchange(SumAndLargest{of_warp, of_warp},
                                                          SumAndLargest{0, -2147483647 - 1});
                        SumAndLargest all{reduce_lanes<Reduction::parts>(part.sum, add),
                                          reduce_lanes<Reduction::parts>(part.largest, larger)};
                        if (turn % 2 == 1) {
                          all.sum += reduce(thread, add);
                        }
                        isa::store_global(arguments.out + turn * threads + thread, all);
                      }
                    });
  }
};

template <int Warps>
void check_warps() {
  using Kernel = WarpsKernel<Warps>;
  on_every_schedule(4, [](const Stream& stream) {
    const DeviceArray<SumAndLargest> out(
        std::vector<SumAndLargest>(Kernel::turns * Kernel::threads, {-1, -1}));
    launch<Kernel>(stream, {1, 1, 1}, {out.data()});
    const std::vector<SumAndLargest> got = out.values();
    bool right = true;
    for (int turn = 0; turn < Kernel::turns; ++turn) {
      SumAndLargest wanted{0, -2147483647 - 1};
      for (int warp = 0; warp < Warps; ++warp) {
        int32_t sum = 0;
        for (int lane = 0; lane < 32; ++lane) {
          sum += Kernel::value(turn, 32 * warp + lane);
        }
        wanted = {wanted.sum + sum, sum > wanted.largest ? sum : wanted.largest};
      }
      wanted.sum += turn % 2 == 1 ? Kernel::threads * (Kernel::threads - 1) / 2 : 0;
      for (int thread = 0; thread < Kernel::threads; ++thread) {
        const auto& one = got[static_cast<std::size_t>(turn * Kernel::threads + thread)];
        right = right && one.sum == wanted.sum && one.largest == wanted.largest;
      }
    }
    REQUIRE(right);
  });
}

TEST_CASE("reduction over warps that exchange their results") {
  check_warps<1>();
  check_warps<2>();
  check_warps<5>();
  check_warps<7>();
  check_warps<16>();
}

template <int Lanes>
struct LanesKernel {
  struct Only {
    static constexpr RoleConfig config{.name = "consumer", .warps = 1};
  };
  using Roles = RoleList<Only>;
  struct Arguments {
    int32_t* out;
  };
  struct SharedMemory {
    int32_t unused;
  };
  static constexpr LaunchConfig launch{.name = "lanes"};
  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory&) const {
    const auto lane = static_cast<int32_t>(isa::lane_index());
    const auto add = [](int32_t a, int32_t b) { return a + b; };
    const int32_t sum = reduce_lanes<Lanes>(lane * lane, add);
    const LaneReduction<Lanes> reduce{};
    const bool same = reduce(lane * lane, add) == sum && reduce.local(lane * lane, add) == sum &&
                      reduce.end(reduce.begin(lane * lane, add), add) == sum;
    isa::store_global(arguments.out + lane, same ? sum : -1);
  }
};

template <int Lanes>
void check_lanes() {
  const DeviceArray<int32_t> out(std::vector<int32_t>(32, -1));
  launch<LanesKernel<Lanes>>(Stream{}, {1, 1, 1}, {out.data()});
  const std::vector<int32_t> got = out.values();
  for (int lane = 0; lane < 32; ++lane) {
    int32_t wanted = 0;
    for (int other = lane / Lanes * Lanes; other < lane / Lanes * Lanes + Lanes; ++other) {
      wanted += other * other;
    }
    CHECK(got[static_cast<std::size_t>(lane)] == wanted);
  }
}

TEST_CASE("reduction over neighbouring lanes") {
  check_lanes<1>();
  check_lanes<4>();
  check_lanes<8>();
  check_lanes<32>();
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
