// Reductions over the lanes of a warp, the warps of a role, the CTAs of a cluster. Each thread
// brings a value and gets the result of all, in an order that depends on the shape alone: the same
// bits from run to run.
//
//   combine(a, b)   must not care which is which: both halves of a pair compute it
#pragma once

#include "warpline/bits.h"
#include "warpline/cluster_send.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/cluster.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"

namespace warpline::inline WARPLINE_TARGET {

namespace reduce_detail {

template <class T>
struct Words {
  static_assert(sizeof(T) % 4 == 0, "what is reduced is of whole 32-bit words");
  uint32_t word[sizeof(T) / 4];
};

template <class T>
WARPLINE_DEVICE T exchange(const T& value, uint32_t mask, SourceLine where) {
  auto words = bits_as<Words<T>>(value);
  WARPLINE_UNROLL
  for (uint32_t& word : words.word) {
    word = isa::shuffle_xor(word, mask, where);
  }
  return bits_as<T>(words);
}

}  // namespace reduce_detail

/// Over `Lanes` neighbouring lanes, a power of two up to 32. All lanes of the warp take part.
template <int Lanes, class T, class Combine>
WARPLINE_DEVICE T reduce_lanes(T value, Combine combine, SourceLine where = SourceLine::current()) {
  static_assert(Lanes >= 1 && Lanes <= threads_per_warp && (Lanes & (Lanes - 1)) == 0,
                "a warp reduces over 1, 2, 4, 8, 16 or 32 lanes");
  WARPLINE_UNROLL
  for (uint32_t mask = Lanes / 2; mask > 0; mask /= 2) {
    value = combine(value, reduce_detail::exchange(value, mask, where));
  }
  return value;
}

/// The same in the forms of the reductions below, for code that does not care how many share.
template <int Lanes>
class LaneReduction {
 public:
  static constexpr int parts = 1;
  struct Storage {};

  LaneReduction() = default;
  template <class Group>
  WARPLINE_DEVICE LaneReduction(Storage&, const Group&) {}

  template <class T, class Combine>
  WARPLINE_DEVICE T operator()(T value, Combine combine,
                               SourceLine where = SourceLine::current()) const {
    return reduce_lanes<Lanes>(value, combine, where);
  }
  template <class T, class Combine>
  WARPLINE_DEVICE T local(T value, Combine combine,
                          SourceLine where = SourceLine::current()) const {
    return reduce_lanes<Lanes>(value, combine, where);
  }
  template <class T, class Combine>
  WARPLINE_DEVICE T begin(T value, Combine combine,
                          SourceLine where = SourceLine::current()) const {
    return reduce_lanes<Lanes>(value, combine, where);
  }
  template <class T, class Combine>
  WARPLINE_DEVICE T end(T value, Combine) const {
    return value;
  }
};

/// Over all threads of a role (or warpgroup). One meeting for each reduction: two sets of partial
/// results are used in turn, and the meeting of the next tells that this one's have been read.
template <class T, class Group>
class GroupReduction {
 public:
  static constexpr int parts = 1;
  static constexpr int warps = Group::threads / threads_per_warp;
  /// Of few warps, or of a number that is no power of two, each thread reads all results: no longer
  /// than to read one and to shuffle.
  static constexpr bool reads_all = warps <= 8 || (warps & (warps - 1)) != 0;

  struct Storage {
    T partial[2][warps];
  };

  WARPLINE_DEVICE GroupReduction(Storage& storage, const Group& group)
      : storage_(&storage), group_(&group) {}

  template <class Combine>
  WARPLINE_DEVICE T operator()(T value, Combine combine, SourceLine where = SourceLine::current()) {
    return end(begin(value, combine, where), combine, where);
  }

  /// The same in two steps, between which a thread may do something else: what begin() returns is
  /// for end(), and nothing else is reduced meanwhile.
  template <class Combine>
  WARPLINE_DEVICE T begin(T value, Combine combine, SourceLine where = SourceLine::current()) {
    value = reduce_lanes<threads_per_warp>(value, combine, where);
    if constexpr (warps > 1) {
      if (isa::lane_index() == 0) {
        isa::store_shared(storage_->partial[turn_][group_->warp_rank()], value, where);
      }
    }
    return value;
  }
  template <class Combine>
  WARPLINE_DEVICE T end(T value, Combine combine, SourceLine where = SourceLine::current()) {
    if constexpr (warps > 1) {
      group_->sync(where);
      const T(&partial)[warps] = storage_->partial[turn_];
      turn_ ^= 1;
      if constexpr (reads_all) {
        value = isa::load_shared(partial[0], where);
        WARPLINE_UNROLL
        for (int warp = 1; warp < warps; ++warp) {
          value = combine(value, isa::load_shared(partial[warp], where));
        }
      } else {
        value = isa::load_shared(partial[isa::lane_index() % warps], where);
        value = reduce_lanes<warps>(value, combine, where);
      }
    }
    return value;
  }

  /// The same: here all threads are of one CTA.
  template <class Combine>
  WARPLINE_DEVICE T local(T value, Combine combine, SourceLine where = SourceLine::current()) {
    return (*this)(value, combine, where);
  }

 private:
  Storage* storage_;
  const Group* group_;
  int turn_ = 0;
};

/// The same, whose parts are warps: they reduce for themselves first (local), as often as they
/// like, and exchange all that came of it at once: one meeting of the role for a maximum and the
/// sum that depends on it.
template <class T, class Group>
class WarpsReduction : public GroupReduction<T, Group> {
  using Base = GroupReduction<T, Group>;
  struct alignas(16) Place {
    uint32_t word[4];
  };

 public:
  static constexpr bool parts_are_warps = true;
  /// The power of two that is enough for the role's warps.
  static constexpr int parts = Base::warps <= 1    ? 1
                               : Base::warps <= 2  ? 2
                               : Base::warps <= 4  ? 4
                               : Base::warps <= 8  ? 8
                               : Base::warps <= 16 ? 16
                                                   : 32;

  struct Storage {
    Place exchanged[2][Base::warps];
    typename Base::Storage all;
  };

  WARPLINE_DEVICE WarpsReduction(Storage& storage, const Group& group)
      : Base(storage.all, group), storage_(&storage), group_(&group) {}

  /// Over this warp's threads alone.
  template <class Combine>
  WARPLINE_DEVICE T local(T value, Combine combine, SourceLine where = SourceLine::current()) {
    return reduce_lanes<threads_per_warp>(value, combine, where);
  }

  /// The value of warp `lane % parts`, for reduce_lanes<parts>, of up to 16 bytes, the same in all
  /// threads of the warp; `absent` if there is no such warp.
  template <class U>
  WARPLINE_DEVICE U exchange(const U& value, const U& absent = {},
                             SourceLine where = SourceLine::current()) {
    static_assert(sizeof(U) <= sizeof(Place), "warps exchange 16 bytes at most");
    const auto place = [&](uint32_t warp) -> U& {
      return *static_cast<U*>(static_cast<void*>(storage_->exchanged[turn_] + warp));
    };
    if (isa::lane_index() == 0) {
      isa::store_shared(place(group_->warp_rank()), value, where);
    }
    group_->sync(where);
    const uint32_t warp = isa::lane_index() % parts;
    const U received = isa::load_shared(place(warp < Base::warps ? warp : 0), where);
    turn_ ^= 1;
    return warp < Base::warps ? received : absent;
  }

 private:
  Storage* storage_;
  const Group* group_;
  int turn_ = 0;
};

/// Over the same role of all `Ctas` CTAs of a cluster along x: each sends its own result to all by
/// st.async. Two sets of places and barriers in turn: a CTA sends for the turn after next only when
/// all have sent for the next, and they do so after the meeting of their threads, which have read
/// this one's.
template <class T, class Group, int Ctas>
class ClusterReduction {
  static_assert(Ctas >= 2 && Ctas <= threads_per_warp && (Ctas & (Ctas - 1)) == 0,
                "a cluster that reduces has 2, 4, 8 or 16 CTAs");
  using Local = GroupReduction<T, Group>;
  struct alignas(16) Place {
    uint32_t word[4];
  };

 public:
  static constexpr int parts = Ctas;

  struct Storage {
    Place received[2][Ctas];
    isa::Mbarrier complete[2];
    typename Local::Storage local;
  };

  /// One thread of each CTA, before a meeting of the cluster (a Pipeline's constructor).
  static WARPLINE_DEVICE void prepare(Storage& storage, SourceLine where = SourceLine::current()) {
    for (int turn = 0; turn < 2; ++turn) {
      isa::name_mbarrier(storage.complete[turn], "received", turn);
      isa::mbarrier_init(storage.complete[turn], 1, where);
    }
    isa::fence_mbarrier_init(where);
  }

  WARPLINE_DEVICE ClusterReduction(Storage& storage, const Group& group)
      : storage_(&storage), group_(&group), local_(storage.local, group) {}

  template <class Combine>
  WARPLINE_DEVICE T operator()(T value, Combine combine, SourceLine where = SourceLine::current()) {
    return end(begin(value, combine, where), combine, where);
  }

  /// The same in two steps, between which a thread may do something else while results are on their
  /// way: what begin() returns is for end(), and nothing else is reduced meanwhile.
  template <class Combine>
  WARPLINE_DEVICE T begin(T value, Combine combine, SourceLine where = SourceLine::current()) {
    send(local(value, combine, where), where);
    return value;
  }
  template <class Combine>
  WARPLINE_DEVICE T end(T, Combine combine, SourceLine where = SourceLine::current()) {
    return reduce_lanes<Ctas>(receive<T>(where), combine, where);
  }

  /// Over this CTA's threads alone.
  template <class Combine>
  WARPLINE_DEVICE T local(T value, Combine combine, SourceLine where = SourceLine::current()) {
    return local_(value, combine, where);
  }

  /// The value of CTA `lane % parts`, for reduce_lanes<parts>: results of several local reductions,
  /// in 4, 8 or 16 bytes, go at once, since an exchange between CTAs takes longer than several
  /// meetings of one. `value` is the same in all threads of the CTA; between two exchanges they
  /// meet, as they do in local(). (There is no part that `absent` would stand for.)
  template <class U>
  WARPLINE_DEVICE U exchange(const U& value, const U& absent = {},
                             SourceLine where = SourceLine::current()) {
    (void)absent;
    send(value, where);
    return receive<U>(where);
  }

 private:
  /// Where CTA `rank`'s value comes to.
  template <class U>
  WARPLINE_DEVICE U& place_of(uint32_t rank) const {
    static_assert(sizeof(U) <= sizeof(Place), "CTAs exchange 16 bytes at most");
    void* const place = storage_->received[turn_] + rank;
    return *static_cast<U*>(place);
  }

  template <class U>
  WARPLINE_DEVICE void send(const U& value, SourceLine where) {
    send_to_cluster<Ctas>(place_of<U>(isa::cluster_cta_rank()), value, storage_->complete[turn_],
                          *group_, where);
  }

  template <class U>
  WARPLINE_DEVICE U receive(SourceLine where) {
    isa::wait(storage_->complete[turn_], parity_,
              {.role = Group::config.name, .barrier = "received", .stage = turn_}, where);
    const U theirs = isa::load_shared(place_of<U>(isa::lane_index() % Ctas), where);
    turn_ ^= 1;
    parity_ ^= turn_ == 0 ? 1 : 0;
    return theirs;
  }

  Storage* storage_;
  const Group* group_;
  Local local_;
  int turn_ = 0;
  uint32_t parity_ = 0;
};

namespace reduce_detail {

template <class T, class Group, int Ctas>
struct ReductionOf {
  using Type = ClusterReduction<T, Group, Ctas>;
};
template <class T, class Group>
struct ReductionOf<T, Group, 1> {
  using Type = GroupReduction<T, Group>;
};

}  // namespace reduce_detail

/// The one for a role of `Ctas` CTAs: one CTA has no cluster to exchange with.
template <class T, class Group, int Ctas>
using RoleReduction = typename reduce_detail::ReductionOf<T, Group, Ctas>::Type;

}  // namespace warpline::inline WARPLINE_TARGET
