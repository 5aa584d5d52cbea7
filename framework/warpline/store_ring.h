// StoreRing: buffers on their way from shared to global memory. Threads write a buffer, one of them
// hands it to the copy engine; the two waits that follow are named for what they free.
#pragma once

#include "warpline/isa/annotate.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/bulk_group.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/trace.h"
#include "warpline/shared_array.h"
#include "warpline/tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Buffers` tiles (or arrays) used in turn by the threads of `Group`, through all the tiles of a
/// persistent loop.
///
///   StoreRing ring(shared.out, group);              // Buffer out[Buffers]
///   for (...) {
///     auto& buffer = ring.acquire();                // its previous store has been read
///     ... buffer.store(row, column, value) ...
///     ring.store(args.d, {row, column});            // fence, meet, issue, commit
///   }
///   ring.wait_until_written();                      // only if this kernel reads what it stored
template <class Buffer, int Buffers, class Group>
class StoreRing {
  static_assert(Buffers >= 1 && Buffers <= 8, "a store ring has 1 to 8 buffers");

 public:
  WARPLINE_DEVICE StoreRing(Buffer (&buffers)[Buffers], const Group& group,
                            SourceLine where = SourceLine::current())
      : buffers_(buffers), group_(group), where_(where) {}
  StoreRing(const StoreRing&) = delete;
  StoreRing& operator=(const StoreRing&) = delete;

  /// Shared memory must outlive the reads of the stores in flight.
  WARPLINE_DEVICE ~StoreRing() {
    if (group_.leader()) {
      isa::bulk_wait_group_read<0>(where_);
    }
  }

  /// The next buffer, once the store that last used it has read it. All threads of the group.
  WARPLINE_DEVICE Buffer& acquire(SourceLine where = SourceLine::current()) {
    isa::at_line(where);
    if (group_.leader()) {
      const isa::TraceTime begin = isa::trace_now();
      isa::bulk_wait_group_read<Buffers - 1>(SourceLine::inherited());
      isa::trace_span_of_one(isa::TraceKind::store_wait, {"buffer"}, begin);
    }
    group_.sync(where);
    return buffers_[index_];
  }

  /// Hands the acquired buffer to the copy engine: the tile whose first element goes to `at`.
  /// Elements outside the matrix are not written, but the matrix' rows must be a multiple of 16
  /// bytes long (make_tensor_map checks).
  template <int Rank>
  WARPLINE_DEVICE void store(const TensorMap<Buffer, Rank>& map, Coordinate at,
                             SourceLine where = SourceLine::current()) {
    publish(where);
    if (group_.leader()) {
      isa::trace_moment_of_one(isa::TraceKind::store_issue, {"store"}, Buffer::bytes);
      const auto* bytes = reinterpret_cast<const unsigned char*>(buffers_[index_].elements);
      WARPLINE_UNROLL
      for (int slab = 0; slab < Buffer::slabs; ++slab) {
        WARPLINE_UNROLL
        for (int box = 0; box < Buffer::boxes_per_slab; ++box) {
          tensor_map_detail::with_coordinates<Rank>(
              at, at.row + box * Buffer::box_rows, at.column + slab * Buffer::span_columns,
              [&](const auto& coordinates) {
                isa::tensor_store(
                    map, coordinates,
                    bytes + slab * Buffer::slab_bytes + box * Buffer::box_rows * Buffer::span_bytes,
                    where);
              });
        }
      }
    }
    commit();
  }

  /// The same for a SharedArray buffer: its first `count` elements to `target`; both on 16 bytes.
  WARPLINE_DEVICE void store(typename Buffer::Element* target, int count,
                             SourceLine where = SourceLine::current()) {
    publish(where);
    if (group_.leader()) {
      isa::trace_moment_of_one(
          isa::TraceKind::store_issue, {"store"},
          static_cast<uint32_t>(count * static_cast<int>(sizeof(typename Buffer::Element))));
      isa::bulk_store(
          target, buffers_[index_].elements,
          static_cast<uint32_t>(count * static_cast<int>(sizeof(typename Buffer::Element))), where);
    }
    commit();
  }

  /// Frees shared memory: every store so far has read its buffer. Global memory is not yet written.
  /// Returns in all threads of the group.
  WARPLINE_DEVICE void wait_until_read(SourceLine where = SourceLine::current()) {
    isa::at_line(where);
    if (group_.leader()) {
      const isa::TraceTime begin = isa::trace_now();
      isa::bulk_wait_group_read<0>(SourceLine::inherited());
      isa::trace_span_of_one(isa::TraceKind::store_wait, {"read"}, begin);
    }
    group_.sync(where);
  }

  /// Publishes global memory: every store so far is complete and may be read by this thread, or by
  /// others after a release. Returns in all threads of the group.
  WARPLINE_DEVICE void wait_until_written(SourceLine where = SourceLine::current()) {
    isa::at_line(where);
    if (group_.leader()) {
      const isa::TraceTime begin = isa::trace_now();
      isa::bulk_wait_group<0>(SourceLine::inherited());
      isa::trace_span_of_one(isa::TraceKind::store_wait, {"written"}, begin);
    }
    group_.sync(where);
  }

 private:
  /// Each thread's ordinary writes become visible to the copy engine, then all meet.
  WARPLINE_DEVICE void publish(SourceLine where) {
    isa::at_line(where);
    isa::fence_proxy_async_shared(where);
    group_.sync(where);
  }

  WARPLINE_DEVICE void commit() {
    if (group_.leader()) {
      isa::bulk_commit_group(SourceLine::inherited());
    }
    index_ = index_ + 1 == Buffers ? 0 : index_ + 1;
  }

  Buffer* buffers_;
  Group group_;
  [[no_unique_address]] SourceLine where_;
  int index_ = 0;
};

}  // namespace warpline::inline WARPLINE_TARGET
