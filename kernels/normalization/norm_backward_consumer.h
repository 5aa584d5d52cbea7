// The consumers of the backward pass: row by row, out of the ring's stages.
#pragma once

#include "normalization/norm_backward_row.h"
#include "normalization/norm_backward_sums.h"
#include "normalization/norm_backward_weight.h"
#include "warpline/isa/opaque.h"
#include "warpline/kept_slot.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Kernel, class Way>
class NormBackwardConsumer {
  using Share = typename Kernel::template Share<Way>;
  using Arguments = typename Kernel::Arguments;
  using Row = NormBackwardRow<Kernel, Way>;

 public:
  WARPLINE_DEVICE NormBackwardConsumer(const Arguments& arguments, int thread)
      : arguments_(&arguments),
        mine_(thread / Kernel::threads_per_row),
        first_column_(arguments.template first_column<Kernel::cluster>()),
        columns_(arguments.columns_from(first_column_)) {
    share_.thread = thread % Kernel::threads_per_row;
    share_.count = columns_;
  }

  /// All rows of this CTA. `reduction` is over the threads of a row. While what they have is
  /// exchanged, a thread finishes the row before, so that nobody waits for it. All lanes of a warp
  /// come along, with or without a row.
  template <class End, class Reduction>
  WARPLINE_DEVICE void read(End& end, Reduction&& reduction) {
    const auto combine = [](NormSums a, NormSums b) { return NormSums{a.g_x + b.g_x, a.g + b.g}; };
    const NormBackwardWeight<Kernel, Share> weight(*arguments_, share_, first_column_);
    KeptSlot ahead(end);
    KeptSlot behind(end);
    Step next{.first = arguments_->template first_row<Kernel::cluster>()};
    Step before{};
    NormSums sums{};
    for (bool begun = false;; begun = true) {
      const bool more = next.first < arguments_->rows;
      NormSums partial{};
      if (more) {
        if (next.row == 0) {
          auto slot = end.acquire();
          ahead.take(slot);
        }
        partial = reduction.begin(row_of(next, *ahead).sums(share_, weight), combine);
      }
      if (Kernel::ahead && begun) {
        finish(before, ahead, behind, weight, sums);
      }
      if (!more) {
        break;
      }
      sums = means_of(reduction.end(partial, combine));
      before = next;
      next.row += Kernel::rows_at_a_time;
      before.last = next.row >= arguments_->rows_of_stage(next.first);
      if (before.last) {
        behind.take(ahead);
        next = {.first = next.first + arguments_->template row_step<Kernel::cluster>()};
      }
      if (!Kernel::ahead) {
        finish(before, ahead, behind, weight, sums);
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
  /// As many rows of a stage, which begins with row `first`, as the CTA reads at a time: from `row`
  /// on, perhaps its last.
  struct Step {
    int64_t first = 0;
    int row = 0;
    bool last = false;
  };

  /// This thread's, or the stage's first if it has none, with a share of no columns.
  template <class Stage>
  WARPLINE_DEVICE Row row_of(const Step& step, const Stage& stage) {
    const int r = step.row + mine_;
    const bool has = Kernel::rows_at_a_time == 1 || r < arguments_->rows_of_stage(step.first);
    share_.count = has ? columns_ : 0;
    // Addresses are computed anew: kept through the loop, or from a row's first pass to its second,
    // they took so many registers that others were spilled.
    share_.thread = static_cast<int>(isa::opaque(static_cast<uint32_t>(share_.thread)));
    return Row(*arguments_, stage, step.first, has ? r : 0, first_column_);
  }

  template <class Kept, class Weight>
  WARPLINE_DEVICE void finish(const Step& step, Kept& ahead, Kept& behind, const Weight& weight,
                              const NormSums& means) {
    row_of(step, step.last ? *behind : *ahead)
        .finish(
            share_, weight, means, [&](int i, float dy, float x) { sums_.add(i, dy, x); },
            [&] { behind.release(); });
  }

  WARPLINE_DEVICE NormSums means_of(const NormSums& sums) const {
    const NormBackwardArguments& op = arguments_->op;
    return {sums.g_x * op.of_one, sums.g * (op.layer ? op.of_one : 0)};
  }

  const Arguments* arguments_;
  /// Which of the rows at a time.
  int mine_;
  int first_column_;
  int columns_;
  Share share_;
  NormBackwardSums<Kernel, Share> sums_;
};

}  // namespace warpline::inline WARPLINE_TARGET
