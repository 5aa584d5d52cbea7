// Rows of an operand that are copied to shared memory once and stay there.
#pragma once

#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// A ring of one stage with room for `Count` elements, which is filled once. Its constructor is a
/// meeting of all threads, as a Pipeline's is.
template <class T, int Count, class Producer, class Consumer>
class HeldRows {
  struct Stage {
    SharedArray<T, Count> rows;
  };
  using Ring = Pipeline<Stage, PipelineConfig{.stages = 1}, FilledByCopies<Producer>,
                        ReadByThreads<Consumer>>;

 public:
  using Storage = typename Ring::Storage;

  explicit WARPLINE_DEVICE HeldRows(Storage& storage) : ring_(storage) {}

  template <class Group>
  WARPLINE_DEVICE auto producer(const Group& group) {
    return ring_.producer(group);
  }
  template <class Group>
  WARPLINE_DEVICE auto consumer(const Group& group) {
    return ring_.consumer(group);
  }

  /// Once: `rows` rows of `count` elements, `stride` apart, to places `pitch` apart.
  template <class End>
  static WARPLINE_DEVICE void load(End& end, const T* source, int64_t stride, int rows, int count,
                                   int pitch) {
    auto slot = end.acquire();
    WARPLINE_NO_UNROLL
    for (int row = 0; row < rows; ++row) {
      slot.load(slot->rows, row * pitch, source + row * stride, count);
    }
  }

  /// Waits for the rows: the slot's `rows`. Keep it until the last of them was read.
  template <class End>
  static WARPLINE_DEVICE auto wait(End& end) {
    return end.acquire();
  }

 private:
  Ring ring_;
};

}  // namespace warpline::inline WARPLINE_TARGET
