// Sums of a cluster's CTAs, on either target: the bits that adding one CTA after the other gives.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/cluster_sums.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// Several turns: out[cluster][turn][warpgroup][register of a tile][thread], each written by the
/// CTA that has it in its share.
template <int Rows, int Columns, int Ctas, int Warpgroups>
struct ClusterSumsKernel {
  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = 4 * Warpgroups};
  };
  struct Bystander {
    static constexpr RoleConfig config{.name = "bystander", .warps = 1};
  };
  using Roles = RoleList<Consumer, Bystander>;
  using Exchange = ClusterSums<Rows, Columns, Ctas>;
  static constexpr int registers = Rows * Columns / threads_per_warpgroup;
  static constexpr int registers_of_turn = Warpgroups * registers * threads_per_warpgroup;
  struct Arguments {
    float* out;
    int turns;
  };
  struct SharedMemory {
    typename Exchange::Storage exchange[Warpgroups];
  };
  static constexpr LaunchConfig launch{.name = "cluster_sums", .cluster = {.x = Ctas}};

  /// Of many magnitudes, so that the order of additions shows.
  static WARPLINE_HOST_DEVICE float value(int cta, int turn, int place) {
    uint32_t bits = static_cast<uint32_t>(cta) * 0x9e3779b9u +
                    static_cast<uint32_t>(turn) * 0x85ebca6bu +
                    static_cast<uint32_t>(place) * 0xc2b2ae35u;
    bits ^= bits >> 15;
    bits *= 0x2c1b3c6du;
    bits ^= bits >> 12;
    const float number = static_cast<float>(static_cast<int>(bits % 2001) - 1000);
    return number * static_cast<float>(1u << (bits >> 28));
  }

  static WARPLINE_HOST_DEVICE int place_of(int warpgroup, int index, int thread) {
    return (warpgroup * registers + index) * threads_per_warpgroup + thread;
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    if (isa::thread_index() == 0) {
      for (auto& exchange : shared.exchange) {
        Exchange::prepare(exchange);
      }
    }
    isa::cluster_arrive();
    isa::cluster_wait();
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Consumer>& group) {
          const auto warpgroup = group.warpgroup();
          const int share = static_cast<int>(group.warpgroup_rank());
          const int thread = static_cast<int>(warpgroup.thread_rank());
          const int cta = static_cast<int>(isa::block_index().x);
          Exchange exchange(shared.exchange[share], warpgroup);
          typename Exchange::Sums sums;
          for (int turn = 0; turn < arguments.turns; ++turn) {
            sums.change_registers(
                [&](int index, float) { return value(cta, turn, place_of(share, index, thread)); });
            typename Exchange::Share mine;
            exchange(sums, mine, turn + 1 < arguments.turns);
            if (exchange.has_share()) {
              float* const out =
                  arguments.out + (cta / Ctas * arguments.turns + turn) * registers_of_turn;
              constexpr int of_block = Exchange::share_columns / 2;
              mine.change_registers([&](int index, float sum) {
                const int place =
                    index / of_block * (Columns / 2) + exchange.column() / 2 + index % of_block;
                isa::store_global(out + place_of(share, place, thread), sum);
                return sum;
              });
            }
          }
        },
        [](const ThreadGroup<Roles, Bystander>&) {});
  }
};

/// `turns` tiles of two clusters.
template <int Rows, int Columns, int Ctas, int Warpgroups = 1>
void check_cluster_sums(int turns, int seeds) {
  using Kernel = ClusterSumsKernel<Rows, Columns, Ctas, Warpgroups>;
  constexpr int clusters = 2;
  INFO(Rows << " x " << Columns << ", " << Ctas << " CTAs, " << Warpgroups << " warpgroups, "
            << turns << " turns");
  std::vector<float> expected;
  for (int cluster = 0; cluster < clusters; ++cluster) {
    for (int turn = 0; turn < turns; ++turn) {
      for (int place = 0; place < Kernel::registers_of_turn; ++place) {
        float sum = Kernel::value(cluster * Ctas, turn, place);
        for (int part = 1; part < Ctas; ++part) {
          sum += Kernel::value(cluster * Ctas + part, turn, place);
        }
        expected.push_back(sum);
      }
    }
  }
  on_every_schedule(seeds, [&](const Stream& stream) {
    const DeviceArray<float> out(std::vector<float>(expected.size(), -1.0f));
    launch<Kernel>(stream, {clusters * Ctas, 1, 1}, {out.data(), turns});
    const std::vector<float> got = out.values();
    const auto wrong = std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin();
    REQUIRE(static_cast<std::size_t>(wrong) == expected.size());
  });
}

inline void check_cluster_sums_of_all_shapes() {
  for (const int turns : {1, 2, 5}) {
    check_cluster_sums<64, 8, 2>(turns, 3);
    check_cluster_sums<64, 8, 4>(turns, 2);
    check_cluster_sums<64, 16, 2>(turns, 3);
    check_cluster_sums<64, 16, 8>(turns, 1);
    check_cluster_sums<128, 16, 4>(turns, 1);
    check_cluster_sums<64, 24, 2>(turns, 2);
    check_cluster_sums<64, 64, 4, 2>(turns, 1);
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
