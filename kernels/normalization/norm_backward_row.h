// One row of the backward pass: where its operands are in a stage, and the two passes over them,
// first for its sums, then for dx and for its share of the columns' gradients.
#pragma once

#include "normalization/column_share.h"
#include "normalization/norm_backward_producer.h"

namespace warpline::inline WARPLINE_TARGET {

/// What is reduced over a row.
struct alignas(8) NormSums {
  float g_x;  ///< of g * x'
  float g;
};

template <class Kernel, class Way>
class NormBackwardRow {
  using T = typename Kernel::T;
  using Share = typename Kernel::template Share<Way>;
  using Arguments = typename Kernel::Arguments;
  static constexpr int vector = Share::vector;
  static constexpr int pieces = Share::pieces;

 public:
  /// Row `r` of a stage, which begins with row `first`; the CTA's part of it begins with column
  /// `first_column`.
  template <class Stage>
  WARPLINE_DEVICE NormBackwardRow(const Arguments& arguments, const Stage& stage, int64_t first,
                                  int r, int first_column)
      : arguments_(&arguments), first_column_(first_column) {
    const NormBackwardArguments& op = arguments.op;
    const int64_t stretch = first + (arguments.contiguous ? 0 : r);
    const auto place = [&](int i) {
      const int shift =
          Way::aligned ? 0 : misalignment(arguments.in[i].row(stretch) + first_column);
      return stage.elements.elements + i * arguments.plane + r * arguments.pitch + shift;
    };
    h_ = place(0);
    dy_ = place(1);
    if (arguments.inputs > 2) {
      dsum_ = place(2);
    }
    dx_ = static_cast<T*>(op.dx.data) + ((first + r) * op.dx.stride + first_column);
    rstd_ = stage.rstd.load(misalignment(op.rstd + first) + r);
    if (op.layer) {
      shift_ = rstd_ * stage.mean.load(misalignment(op.mean + first) + r);
    }
  }

  /// Of this thread's columns.
  template <class Weight>
  WARPLINE_DEVICE NormSums sums(const Share& share, const Weight& weight) const {
    return with_type([&](auto type) { return sums_as(type, share, weight); });
  }

  /// Stores dx, `means` being those of g * x' and, of LayerNorm, of g. add(i, dy, x') for the
  /// thread's column i; read() once when the stage is not needed any more.
  template <class Weight, class Add, class Read>
  WARPLINE_DEVICE void finish(const Share& share, const Weight& weight, const NormSums& means,
                              Add add, Read read) const {
    with_type([&](auto type) { finish_as(type, share, weight, means, add, read); });
  }

 private:
  /// One kernel is for both types of 16 bits: which they are is a branch around the loop.
  template <class Body>
  WARPLINE_DEVICE auto with_type(Body body) const {
    if constexpr (Way::aligned) {
      return body(TypeOf<typename Way::Type>{});
    } else if constexpr (sizeof(T) == 2) {
      return arguments_->bf16 ? body(TypeOf<__nv_bfloat16>{}) : body(TypeOf<T>{});
    } else {
      return body(TypeOf<T>{});
    }
  }

  template <class E, class Weight>
  WARPLINE_DEVICE NormSums sums_as(TypeOf<E>, const Share& share, const Weight& weight) const {
    NormSums sums{0, 0};
    WARPLINE_UNROLL
    for (int p = 0; p < pieces; ++p) {
      if (share.ends_before(p)) {
        break;
      }
      if (share.has(p)) {
        float w[vector];
        float h[vector];
        float dy[vector];
        weight.piece(*arguments_, share, first_column_, p, w);
        unpack_words<E, vector>(read_piece(share, p, reinterpret_cast<const E*>(h_)), h);
        unpack_words<E, vector>(read_piece(share, p, reinterpret_cast<const E*>(dy_)), dy);
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          const float g = dy[v] * w[v];
          sums.g_x += g * (h[v] * rstd_ - shift_);
          sums.g += g;
        }
      }
    }
    return sums;
  }

  template <class E, class Weight, class Add, class Read>
  WARPLINE_DEVICE void finish_as(TypeOf<E>, const Share& share, const Weight& weight,
                                 const NormSums& means, Add add, Read read) const {
    // First the stage is given back, then stores are issued: its fence would wait for them.
    // (Single elements would take a register each, and long rows have none to spare.)
    constexpr bool all_at_once = Way::aligned && pieces <= 4;
    PackWords<E, vector> dx[all_at_once ? pieces : 1];
    E* const row = reinterpret_cast<E*>(dx_);
    WARPLINE_UNROLL
    for (int p = 0; p < pieces; ++p) {
      if (share.ends_before(p)) {
        break;
      }
      auto& piece = dx[all_at_once ? p : 0];
      if (share.has(p)) {
        piece = make_piece<E>(share, weight, p, means, add);
        if (!all_at_once) {
          write_piece(share, p, row, piece);
        }
      }
    }
    read();
    WARPLINE_UNROLL
    for (int p = 0; all_at_once && p < pieces; ++p) {
      if (share.has(p)) {
        write_piece(share, p, row, dx[p]);
      }
    }
  }

  template <class E, class Weight, class Add>
  WARPLINE_DEVICE PackWords<E, vector> make_piece(const Share& share, const Weight& weight, int p,
                                                  const NormSums& means, Add add) const {
    const auto h_bits = read_piece(share, p, reinterpret_cast<const E*>(h_));
    const auto dy_bits = read_piece(share, p, reinterpret_cast<const E*>(dy_));
    float dx[vector];
    // Last: eight numbers in registers, where the others' bits are four.
    weight.piece(*arguments_, share, first_column_, p, dx);
    float h[vector];
    float dy[vector];
    unpack_words<E, vector>(h_bits, h);
    unpack_words<E, vector>(dy_bits, dy);
    WARPLINE_UNROLL
    for (int v = 0; v < vector; ++v) {
      const float x = h[v] * rstd_ - shift_;
      add(p * vector + v, dy[v], x);
      dx[v] = rstd_ * (dy[v] * dx[v] - means.g - x * means.g_x);
    }
    if (arguments_->inputs > 2) {
      float dsum[vector];
      unpack_words<E, vector>(read_piece(share, p, reinterpret_cast<const E*>(dsum_)), dsum);
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        dx[v] += dsum[v];
      }
    }
    return bits_as<PackWords<E, vector>>(pack<E, vector>(dx));
  }

  const Arguments* arguments_;
  int first_column_;
  const T* h_;
  const T* dy_;
  const T* dsum_ = nullptr;
  T* dx_;
  float rstd_;
  /// mean * rstd
  float shift_ = 0;
};

}  // namespace warpline::inline WARPLINE_TARGET
