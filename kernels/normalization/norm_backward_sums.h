// Sums over rows, dweight's and dbias': in the registers of the thread that has the column, and at
// the end in the workspace.
#pragma once

#include "normalization/column_share.h"
#include "warpline/isa/cluster.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Kernel, class Share>
class NormBackwardSums {
  static constexpr int vector = Share::vector;
  static constexpr int pieces = Share::pieces;

 public:
  /// A row's to the thread's column `i`.
  WARPLINE_DEVICE void add(int i, float dy, float x) {
    dweight_[i] += dy * x;
    if constexpr (Kernel::bias) {
      dbias_[i] += dy;
    }
  }

  /// The sums over the CTA's rows to the workspace: of the part that begins with column
  /// `first_column`, `share` being of a row's. `shared` has room for a piece of all threads.
  template <class Group>
  WARPLINE_DEVICE void leave(const Group& group, const typename Kernel::Arguments& arguments,
                             const Share& share, int first_column, float* shared) const {
    const int64_t place =
        int64_t{isa::block_index().x / static_cast<uint32_t>(Kernel::cluster)} * arguments.columns +
        first_column;
    if (arguments.op.dweight != nullptr) {
      leave_row(group, share, shared, arguments.op.dweight + place, dweight_);
    }
    if constexpr (Kernel::bias) {
      if (arguments.op.dbias != nullptr) {
        leave_row(group, share, shared, arguments.op.dbias + place, dbias_);
      }
    }
  }

 private:
  template <class Group>
  static WARPLINE_DEVICE void leave_row(const Group& group, const Share& share, float* shared,
                                        float* row, const float (&sums)[pieces * vector]) {
    WARPLINE_UNROLL
    for (int p = 0; p < pieces; ++p) {
      if constexpr (Kernel::whole_cta) {
        constexpr int width = vector < 4 ? vector : 4;
        if (share.has(p)) {
          WARPLINE_UNROLL
          for (int v = 0; v < vector; v += width) {
            isa::store_global(reinterpret_cast<Pack<float, width>*>(row + share.column(p) + v),
                              pack<float, width>(sums + p * vector + v));
          }
        }
      } else if (p * Share::step < share.count) {
        const auto thread = static_cast<int>(group.thread_rank());
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          // Threads that share columns lie `step` apart.
          isa::store_shared(shared[thread * vector + v], sums[p * vector + v]);
        }
        group.sync();
        // There may be more columns than threads.
        for (int column = thread; column < Share::step && p * Share::step + column < share.count;
             column += Group::threads) {
          float sum = 0;
          for (int part = 0; part < Kernel::rows_at_a_time; ++part) {
            sum += isa::load_shared(shared[part * Share::step + column]);
          }
          isa::store_global(row + p * Share::step + column, sum);
        }
        group.sync();
      }
    }
  }

  float dweight_[pieces * vector] = {};
  float dbias_[Kernel::bias ? pieces * vector : 1] = {};
};

}  // namespace warpline::inline WARPLINE_TARGET
