// Results that one role of every CTA of a cluster sends to another role of all of them, and need
// not wait for itself: how far rows or tiles are reduced while those before are still stored.
#pragma once

#include "warpline/cluster_send.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/cluster.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/special_registers.h"
#include "warpline/isa/wait.h"

namespace warpline::inline WARPLINE_TARGET {

/// A ring of `Depth` places without barriers for its way back: what the role that receives does
/// with a result must be what lets the senders go on. Say, it frees the stages of a Pipeline that
/// the senders fill or read before they send: then senders are ahead of their own CTA's receivers
/// by as many results as the ring has stages at most, and of another CTA's by twice as many, since
/// its receivers wait for results of all. So `Depth` is more than twice the stages.
///
/// `T` has 4, 8 or 16 bytes. One CTA is a cluster of its own.
template <class T, int Ctas, int Depth>
class ClusterResults {
  static_assert(Ctas >= 1 && Ctas <= 16 && (Ctas & (Ctas - 1)) == 0,
                "a cluster that exchanges results has 1, 2, 4, 8 or 16 CTAs");
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                "CTAs exchange results of 4, 8 or 16 bytes");

 public:
  struct Storage {
    T received[Depth][Ctas];
    isa::Mbarrier complete[Depth];
  };

  /// One thread of each CTA, before a meeting of the cluster (a Pipeline's constructor).
  static WARPLINE_DEVICE void prepare(Storage& storage, SourceLine where = SourceLine::current()) {
    for (int place = 0; place < Depth; ++place) {
      isa::name_mbarrier(storage.complete[place], "received", place);
      isa::mbarrier_init(storage.complete[place], 1, where);
    }
    isa::fence_mbarrier_init(where);
  }

  /// The role's end that sends, in the same order in all CTAs.
  template <class Group>
  class Sender {
   public:
    WARPLINE_DEVICE Sender(Storage& storage, const Group& group)
        : storage_(&storage), group_(&group) {}

    /// All threads of the role call it with the same value.
    WARPLINE_DEVICE void send(const T& value, SourceLine where = SourceLine::current()) {
      isa::Mbarrier& complete = storage_->complete[place_];
      T* const received = storage_->received[place_];
      if constexpr (Ctas == 1) {
        // Where there is no cluster, st.async is an illegal instruction.
        if (group_->leader()) {
          isa::store_shared(received[0], value, where);
          isa::mbarrier_arrive(complete, 1, where);
        }
      } else {
        send_to_cluster<Ctas>(received[isa::cluster_cta_rank()], value, complete, *group_, where);
      }
      place_ = place_ + 1 == Depth ? 0 : place_ + 1;
    }

   private:
    Storage* storage_;
    const Group* group_;
    int place_ = 0;
  };

  /// The role's end that receives.
  template <class Group>
  class Receiver {
   public:
    static constexpr int ctas = Ctas;

    explicit WARPLINE_DEVICE Receiver(Storage& storage) : storage_(&storage) {}

    /// The next result of CTA `lane % Ctas`, for reduce_lanes<Ctas>. All threads of the role call
    /// it.
    WARPLINE_DEVICE T receive(SourceLine where = SourceLine::current()) {
      isa::wait(storage_->complete[place_], parity_,
                {.role = Group::config.name, .barrier = "received", .stage = place_}, where);
      const T theirs =
          isa::load_shared(storage_->received[place_][isa::lane_index() % Ctas], where);
      place_ = place_ + 1 == Depth ? 0 : place_ + 1;
      parity_ ^= place_ == 0 ? 1 : 0;
      return theirs;
    }

   private:
    Storage* storage_;
    int place_ = 0;
    uint32_t parity_ = 0;
  };
};

}  // namespace warpline::inline WARPLINE_TARGET
