// The consumers of the backward pass: row by row, out of the ring's stages.
#pragma once

#include "normalization/norm_backward_row.h"
#include "normalization/norm_backward_sums.h"
#include "warpline/isa/opaque.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Kernel, class Way>
class NormBackwardConsumer {
  using Share = typename Kernel::template Share<Way>;
  using Arguments = typename Kernel::Arguments;

 public:
  WARPLINE_DEVICE NormBackwardConsumer(const Arguments& arguments, int thread)
      : arguments_(&arguments),
        thread_(thread),
        first_column_(arguments.template first_column<Kernel::cluster>()),
        columns_(arguments.columns_from(first_column_)) {
    share_.thread = thread % Kernel::threads_per_row;
  }

  /// All rows of this CTA. reduce(NormSums, combine) is over the threads of a row; all lanes of a
  /// warp come along, with or without a row.
  template <class End, class Reduce>
  WARPLINE_DEVICE void read(End& end, Reduce&& reduce) {
    const NormBackwardArguments& op = arguments_->op;
    const int mine = thread_ / Kernel::threads_per_row;
    for (int64_t first = arguments_->template first_row<Kernel::cluster>();
         first < arguments_->rows; first += arguments_->template row_step<Kernel::cluster>()) {
      const int rows = arguments_->rows_of_stage(first);
      auto slot = end.acquire();
      for (int r = mine; r - mine < rows; r += Kernel::rows_at_a_time) {
        share_.count = r < rows ? columns_ : 0;
        forget();
        const NormBackwardRow<Kernel, Way> row(*arguments_, *slot, first, r < rows ? r : 0,
                                               first_column_);
        NormSums sums = reduce(row.sums(share_), [](NormSums a, NormSums b) {
          return NormSums{a.g_x + b.g_x, a.g + b.g};
        });
        forget();
        sums.g_x *= op.of_one;
        sums.g *= op.layer ? op.of_one : 0;
        row.finish(share_, sums, [&](int i, float dy, float x) { sums_.add(i, dy, x); });
      }
    }
  }

  /// The sums over the CTA's rows to the workspace; `shared` has room for a piece of all threads.
  template <class Group>
  WARPLINE_DEVICE void leave_sums(const Group& group, float* shared) {
    share_.count = columns_;
    sums_.leave(group, *arguments_, share_, first_column_, shared);
  }

 private:
  /// Addresses are computed anew: kept through the loop, or from a row's first pass to its second,
  /// they took so many registers that others were spilled.
  WARPLINE_DEVICE void forget() {
    share_.thread = static_cast<int>(isa::opaque(static_cast<uint32_t>(share_.thread)));
  }

  const Arguments* arguments_;
  int thread_;
  int first_column_;
  int columns_;
  Share share_;
  NormBackwardSums<Kernel, Share> sums_;
};

}  // namespace warpline::inline WARPLINE_TARGET
