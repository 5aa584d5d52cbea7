// ClusterSums: the CTAs of a cluster have summed parts of one tile; they add them up through
// distributed shared memory, and each gets the sums of a share of the tile's columns.
//
// Shares instead of one CTA that gathers: it would receive Ctas - 1 times the tile through its one
// port, where each of many receives Ctas - 1 shares of it, and the way out of the tile is shared as
// well. A share has eight columns at least, wgmma's unit of registers; of narrow tiles the first
// CTAs alone have one.
//
// The sums go from registers to the peer by st.async, counted on a barrier there: no detour through
// one's own shared memory, no fence (st.async is of the generic proxy), and no meeting of the
// cluster. They have memory of their own rather than the ring's stages: those belong to the copy
// engine, which fills them for the next tile meanwhile.
#pragma once

#include "warpline/isa/annotate.h"
#include "warpline/isa/cluster.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/remote_store.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"
#include "warpline/mma.h"
#include "warpline/static_for.h"

namespace warpline::inline WARPLINE_TARGET {

/// Shares of equal width that `ctas` CTAs make of a tile's columns: multiples of 8.
constexpr int cluster_shares(int columns, int ctas) {
  int shares = ctas;
  while (columns / 8 % shares != 0) {
    --shares;
  }
  return shares;
}

/// For one warpgroup's accumulator of `Rows` x `Columns` in each of `Ctas` CTAs of a cluster along
/// x. Warpgroups of a CTA have one each.
template <int Rows, int Columns, int Ctas>
class ClusterSums {
  static_assert(Ctas >= 2 && Ctas <= 16, "sums of a cluster come from 2 to 16 CTAs");

 public:
  static constexpr int shares = cluster_shares(Columns, Ctas);
  static constexpr int share_columns = Columns / shares;
  using Sums = Accumulator<Rows, Columns>;
  using Share = Accumulator<Rows, share_columns>;

 private:
  struct alignas(16) Four {
    float values[4];
  };
  /// Of a thread's share.
  static constexpr int fours = Rows * share_columns / threads_per_warpgroup / 4;
  static constexpr int fours_per_block = share_columns / 8;
  static constexpr uint32_t bytes = (Ctas - 1) * fours * threads_per_warpgroup * sizeof(Four);
  static_assert(bytes < (1 << 20), "an mbarrier counts at most 2^20 - 1 bytes per phase");

 public:
  struct Storage {
    /// Of each other CTA, in the order of their ranks; neighbouring threads' side by side.
    Four received[Ctas - 1][fours][threads_per_warpgroup];
    isa::Mbarrier complete;
    isa::Mbarrier read;
  };

  /// One thread of each CTA, before a meeting of the cluster (a Pipeline's constructor).
  static WARPLINE_DEVICE void prepare(Storage& storage, SourceLine where = SourceLine::current()) {
    isa::name_mbarrier(storage.complete, "sums", 0);
    isa::mbarrier_init(storage.complete, 1, where);
    isa::name_mbarrier(storage.read, "sums read", 0);
    isa::mbarrier_init(storage.read, shares * warps_per_warpgroup, where);
    isa::fence_mbarrier_init(where);
  }

  /// `group` is the Warpgroup.
  template <class Group>
  WARPLINE_DEVICE ClusterSums(Storage& storage, const Group& group)
      : storage_(&storage),
        rank_(static_cast<int>(isa::cluster_cta_rank())),
        thread_(group.thread_rank()),
        leader_(group.leader()) {}

  /// Whether this CTA gets a share; its first column in the tile.
  WARPLINE_DEVICE bool has_share() const { return rank_ < shares; }
  WARPLINE_DEVICE int column() const { return rank_ * share_columns; }

  /// Gives the sums away and, in a CTA that has a share, adds up those of all CTAs there, first CTA
  /// first. `more`: whether there will be another call, the same in all CTAs. Wait for the last
  /// multiply before.
  WARPLINE_DEVICE void operator()(const Sums& sums, Share& share, bool more,
                                  SourceLine where = SourceLine::current()) {
    send(sums, where);
    if (has_share()) {
      receive(sums, share, where);
      if (more) {
        isa::syncwarp(where);
        // To all that send here, this CTA included, so that none of its threads is left behind.
        if (isa::lane_index() < Ctas) {
          isa::mbarrier_arrive_remote(storage_->read, isa::lane_index(), where);
        }
      }
    }
    parity_ ^= 1;
  }

 private:
  static WARPLINE_DEVICE Four four_of(const Sums& sums, int share, int index, SourceLine where) {
    const int block = index / fours_per_block;
    const int first = (share * fours_per_block + index % fours_per_block) * 4;
    return {{sums.value(block, first, where), sums.value(block, first + 1, where),
             sums.value(block, first + 2, where), sums.value(block, first + 3, where)}};
  }

  /// Waits until the places are free, which the first time they are: by a barrier's first parity.
  WARPLINE_DEVICE void send(const Sums& sums, SourceLine where) {
    isa::wait(storage_->read, parity_ ^ 1, {.role = "consumer", .barrier = "sums read", .stage = 0},
              where);
    static_for<0, shares>([&](auto share) {
      constexpr int to = decltype(share)::value;
      if (to != rank_) {
        auto& places = storage_->received[rank_ - (rank_ > to ? 1 : 0)];
        WARPLINE_UNROLL
        for (int i = 0; i < fours; ++i) {
          // Taken out of the accumulator first: ptxas serialises the multiplies where st.async
          // reads their registers on one way of a branch (C7518).
          Four four = four_of(sums, to, i, where);
          isa::hold_registers(four.values);
          isa::store_async(places[i][thread_], four, storage_->complete, to, where);
        }
      }
    });
  }

  WARPLINE_DEVICE void receive(const Sums& sums, Share& share, SourceLine where) {
    Four own[fours];
    static_for<0, shares>([&](auto candidate) {
      if (candidate == rank_) {
        WARPLINE_UNROLL
        for (int i = 0; i < fours; ++i) {
          own[i] = four_of(sums, candidate, i, where);
        }
      }
    });
    if (leader_) {
      isa::mbarrier_arrive_expect_tx(storage_->complete, bytes, where);
    }
    isa::wait(storage_->complete, parity_, {.role = "consumer", .barrier = "sums", .stage = 0},
              where);
    Four total;
    share.change_registers([&](int index, float) {
      if (index % 4 == 0) {
        total = total_of(index / 4, own[index / 4], where);
      }
      return total.values[index % 4];
    });
  }

  /// The parts in their order: loads do not depend on the rank, where one's own comes does.
  WARPLINE_DEVICE Four total_of(int index, const Four& own, SourceLine where) const {
    Four others[Ctas - 1];
    WARPLINE_UNROLL
    for (int i = 0; i < Ctas - 1; ++i) {
      others[i] = isa::load_shared(storage_->received[i][index][thread_], where);
    }
    Four total;
    WARPLINE_UNROLL
    for (int value = 0; value < 4; ++value) {
      float sum = rank_ == 0 ? own.values[value] : others[0].values[value];
      WARPLINE_UNROLL
      for (int part = 1; part < Ctas; ++part) {
        const float before = others[part - 1].values[value];
        const float after = part < Ctas - 1 ? others[part].values[value] : before;
        sum += part < rank_ ? after : part == rank_ ? own.values[value] : before;
      }
      total.values[value] = sum;
    }
    return total;
  }

  Storage* storage_;
  int rank_;
  uint32_t thread_;
  bool leader_;
  uint32_t parity_ = 0;
};

}  // namespace warpline::inline WARPLINE_TARGET
