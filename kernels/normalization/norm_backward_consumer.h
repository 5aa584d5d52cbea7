// The consumers of the backward pass: each row's sums and result, each column's gradients.
#pragma once

#include "normalization/column_share.h"
#include "normalization/norm_backward_producer.h"
#include "warpline/isa/opaque.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

/// What is reduced over a row.
struct alignas(8) NormSums {
  float g_x;  ///< of g * x'
  float g;
};

template <class Kernel>
class NormBackwardConsumer {
  using T = typename Kernel::T;
  using Share = typename Kernel::Share;
  using Arguments = typename Kernel::Arguments;
  static constexpr int vector = Share::vector;
  static constexpr int pieces = Share::pieces;

  /// A row in a stage.
  struct Row {
    const T* h;
    const T* dy;
    const T* dsum;
    T* dx;
    float rstd;
    /// mean * rstd
    float shift;
  };

 public:
  WARPLINE_DEVICE NormBackwardConsumer(const Arguments& arguments, int thread)
      : arguments_(&arguments),
        thread_(thread),
        first_column_(arguments.template first_column<Kernel::cluster>()),
        columns_(arguments.columns_from(first_column_)) {
    share_.thread = thread % Kernel::threads_per_row;
    share_.at_once = arguments.aligned;
  }

  /// All rows of this CTA. reduce(NormSums, combine) is over the threads of a row; all lanes of a
  /// warp come along, with or without a row.
  template <class End, class Reduce>
  WARPLINE_DEVICE void read(End& end, Reduce&& reduce) {
    const int mine = thread_ / Kernel::threads_per_row;
    for (int64_t first = arguments_->template first_row<Kernel::cluster>();
         first < arguments_->rows; first += arguments_->template row_step<Kernel::cluster>()) {
      const int rows = arguments_->rows_of_stage(first);
      auto slot = end.acquire();
      for (int r = mine; r - mine < rows; r += Kernel::rows_at_a_time) {
        share_.count = r < rows ? columns_ : 0;
        forget();
        const Row row = row_of(*slot, first, r < rows ? r : 0);
        NormSums sums = with_type([&](auto type) { return sums_of(type, row); });
        sums = reduce(sums, [](NormSums a, NormSums b) {
          return NormSums{a.g_x + b.g_x, a.g + b.g};
        });
        forget();
        sums.g_x *= arguments_->op.of_one;
        sums.g *= arguments_->op.layer ? arguments_->op.of_one : 0;
        with_type([&](auto type) { finish(type, row, sums); });
      }
    }
  }

  /// The sums over the CTA's rows to the workspace; `shared` has room for a piece of all threads.
  template <class Group>
  WARPLINE_DEVICE void leave_sums(const Group& group, float* shared) {
    share_.count = columns_;
    leave(group, shared, arguments_->op.dweight, dweight_);
    if constexpr (Kernel::bias) {
      leave(group, shared, arguments_->op.dbias, dbias_);
    }
  }

 private:
  /// One kernel is for both types of 16 bits: which they are is a branch around the loop.
  template <class Body>
  WARPLINE_DEVICE auto with_type(Body body) const {
    if constexpr (sizeof(T) == 2) {
      if (arguments_->bf16) {
        return body(typed_detail::TypeOf<__nv_bfloat16>{});
      }
    }
    return body(typed_detail::TypeOf<T>{});
  }

  /// Addresses are computed anew: kept through the loop, or from a row's first pass to its second,
  /// they took so many registers that others were spilled.
  WARPLINE_DEVICE void forget() {
    share_.thread = static_cast<int>(isa::opaque(static_cast<uint32_t>(share_.thread)));
  }

  template <class Stage>
  WARPLINE_DEVICE Row row_of(const Stage& stage, int64_t first, int r) const {
    const NormBackwardArguments& op = arguments_->op;
    const int64_t stretch = first + (arguments_->contiguous ? 0 : r);
    const auto place = [&](int i) {
      return stage.elements.elements + i * arguments_->plane + r * arguments_->pitch +
             misalignment(arguments_->in[i].row(stretch) + first_column_);
    };
    Row row{place(0),
            place(1),
            nullptr,
            static_cast<T*>(op.dx.data) + ((first + r) * op.dx.stride + first_column_),
            stage.rstd.load(misalignment(op.rstd + first) + r),
            0};
    if (arguments_->inputs > 2) {
      row.dsum = place(2);
    }
    if (op.layer) {
      row.shift = row.rstd * stage.mean.load(misalignment(op.mean + first) + r);
    }
    return row;
  }

  template <class E>
  WARPLINE_DEVICE NormSums sums_of(typed_detail::TypeOf<E>, const Row& row) const {
    NormSums sums{0, 0};
    WARPLINE_UNROLL
    for (int p = 0; p < pieces; ++p) {
      if (share_.has(p)) {
        float weight[vector];
        read_weight(share_, p, arguments_->op.weight, first_column_, weight);
        const auto h = read_piece(share_, p, reinterpret_cast<const E*>(row.h));
        const auto dy = read_piece(share_, p, reinterpret_cast<const E*>(row.dy));
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          const float g = to_float(dy.element[v]) * weight[v];
          sums.g_x += g * (to_float(h.element[v]) * row.rstd - row.shift);
          sums.g += g;
        }
      }
    }
    return sums;
  }

  /// `means` are those of g * x' and, of LayerNorm, of g.
  template <class E>
  WARPLINE_DEVICE void finish(typed_detail::TypeOf<E>, const Row& row, const NormSums& means) {
    WARPLINE_UNROLL
    for (int p = 0; p < pieces; ++p) {
      if (share_.has(p)) {
        float dx[vector];
        read_weight(share_, p, arguments_->op.weight, first_column_, dx);
        const auto h = read_piece(share_, p, reinterpret_cast<const E*>(row.h));
        const auto dy = read_piece(share_, p, reinterpret_cast<const E*>(row.dy));
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          const float x = to_float(h.element[v]) * row.rstd - row.shift;
          const float gradient = to_float(dy.element[v]);
          dweight_[p * vector + v] += gradient * x;
          if constexpr (Kernel::bias) {
            dbias_[p * vector + v] += gradient;
          }
          dx[v] = row.rstd * (gradient * dx[v] - means.g - x * means.g_x);
        }
        if (arguments_->inputs > 2) {
          const auto dsum = read_piece(share_, p, reinterpret_cast<const E*>(row.dsum));
          WARPLINE_UNROLL
          for (int v = 0; v < vector; ++v) {
            dx[v] += to_float(dsum.element[v]);
          }
        }
        write_piece(share_, p, reinterpret_cast<E*>(row.dx), dx);
      }
    }
  }

  template <class Group>
  WARPLINE_DEVICE void leave(const Group& group, float* shared, float* gradient,
                             const float (&sums)[pieces * vector]) {
    if (gradient == nullptr) {
      return;
    }
    float* row =
        gradient + (int64_t{isa::block_index().x / static_cast<uint32_t>(Kernel::cluster)} *
                        arguments_->columns +
                    first_column_);
    WARPLINE_UNROLL
    for (int p = 0; p < pieces; ++p) {
      if constexpr (Kernel::whole_cta) {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          if (share_.present(p, v)) {
            isa::store_global(row + share_.column(p, v), sums[p * vector + v]);
          }
        }
      } else if (p * Share::step < columns_) {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          isa::store_shared(
              shared[thread_ / Kernel::threads_per_row * Share::step + share_.column(0, v)],
              sums[p * vector + v]);
        }
        group.sync();
        if (thread_ < Share::step && p * Share::step + thread_ < columns_) {
          float sum = 0;
          for (int part = 0; part < Kernel::rows_at_a_time; ++part) {
            sum += isa::load_shared(shared[part * Share::step + thread_]);
          }
          isa::store_global(row + p * Share::step + thread_, sum);
        }
        group.sync();
      }
    }
  }

  const Arguments* arguments_;
  int thread_;
  int first_column_;
  int columns_;
  Share share_;
  float dweight_[pieces * vector] = {};
  float dbias_[Kernel::bias ? pieces * vector : 1] = {};
};

}  // namespace warpline::inline WARPLINE_TARGET
