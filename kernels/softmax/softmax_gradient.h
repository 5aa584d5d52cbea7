// What softmax' gradients are made of. With p the probabilities:
//
//   softmax        dx = p * (dy - sum(dy * p)) * scale, y being p
//   its logarithm  dx = (dy - p * sum(dy)) * scale, y being log p
//   cross-entropy  dx = (p - q) * dloss * scale, p = exp(x * scale - lse), q the distribution that
//                  is aimed at: the second with dy = q, a sum of 1 and -dloss for a factor
#pragma once

#include "rows/held_values.h"
#include "rows/typed_pieces.h"
#include "softmax/row_target.h"
#include "softmax/softmax_backward_arguments.h"
#include "warpline/isa/math.h"

namespace warpline::inline WARPLINE_TARGET {

struct SoftmaxGradient {
  using Arguments = SoftmaxBackwardArguments;
  static constexpr float log2_e = 1.4426950408889634f;
  static constexpr float minus_infinity = -__builtin_huge_valf();

  static constexpr int elsewhere = -1;
  static constexpr int ignored = -2;
  struct Terms {
    float factor = 0;
    /// Of dy * p, of dy, or, as a logarithm in base 2, of cross-entropy's exponentials.
    float sum = 0;
    /// Cross-entropy: which of the thread's elements is the target.
    int target = elsewhere;
  };

  /// This thread's part of the sum.
  template <class Values>
  static WARPLINE_DEVICE float part_of_sum(const Arguments& arguments, const Values& values) {
    float sum = 0;
    WARPLINE_UNROLL
    for (int p = 0; p < Values::pieces; ++p) {
      if (values.has(p)) {
        float y[Values::vector];
        float dy[Values::vector];
        values.piece(0, p, arguments.bf16, y);
        values.piece(1, p, arguments.bf16, dy);
        if (arguments.softmax) {
          WARPLINE_UNROLL
          for (int v = 0; v < Values::vector; ++v) {
            sum += dy[v] * y[v];
          }
        } else {
          WARPLINE_UNROLL
          for (int v = 0; v < Values::vector; ++v) {
            sum += y[v] == minus_infinity ? 0 : dy[v];
          }
        }
      }
    }
    return sum;
  }

  /// What is made of the values, `sum` being that of all threads' parts.
  template <class Values>
  static WARPLINE_DEVICE void store(const Arguments& arguments, int64_t row, const Values& values,
                                    float sum) {
    Terms terms;
    if (arguments.lse == nullptr) {
      terms.factor = arguments.scale;
      terms.sum = sum;
    } else if (values.end > 0) {
      terms = cross_entropy_terms(arguments, row, values);
    }
    store_pieces(arguments.dx, row, values,
                 [&](int p, float* dx) { make_piece(arguments, terms, values, p, dx); });
  }

 private:
  template <class Values>
  static WARPLINE_DEVICE Terms cross_entropy_terms(const Arguments& arguments, int64_t row,
                                                   const Values& values) {
    const int64_t target = target_of(arguments.targets, row);
    const float dloss = arguments.dloss != nullptr ? isa::load_global(arguments.dloss + row) : 1.0f;
    const bool valid = target >= 0 && target < arguments.columns;
    Terms terms;
    terms.factor = valid ? dloss * arguments.scale : __builtin_nanf("");
    terms.sum = isa::load_global(arguments.lse + row) * log2_e;
    if (target == arguments.ignore_index) {
      terms.target = ignored;
    } else if (valid) {
      terms.target = element_of(values, static_cast<int>(target));
    }
    return terms;
  }

  /// Which of this thread's elements column `target` is.
  template <class Values>
  static WARPLINE_DEVICE int element_of(const Values& values, int target) {
    const int offset = target - values.first;
    const bool inside = offset >= 0 && offset < Values::pieces * Values::step;
    const ElementPlace place = values.place_of(inside ? offset : 0);
    const bool mine = inside && place.thread == values.thread;
    return mine ? place.element : elsewhere;
  }

  template <class Values>
  static WARPLINE_DEVICE void make_piece(const Arguments& arguments, const Terms& terms,
                                         const Values& values, int p, float* dx) {
    constexpr int vector = Values::vector;
    values.piece(0, p, arguments.bf16, dx);
    if (arguments.lse != nullptr) {
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        const float q = p * vector + v == terms.target ? arguments.at_target : arguments.uniform;
        const float exponent = dx[v] * arguments.exponent_scale - terms.sum;
        const float gradient = (isa::exp2_approximate(exponent) - q) * terms.factor;
        dx[v] = terms.target == ignored ? 0 : gradient;
      }
      return;
    }
    float dy[vector];
    values.piece(1, p, arguments.bf16, dy);
    if (arguments.softmax) {
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        dx[v] = dx[v] * (dy[v] - terms.sum) * terms.factor;
      }
      return;
    }
    WARPLINE_UNROLL
    for (int v = 0; v < vector; ++v) {
      // What is left out of the sum has no gradient.
      const float difference = dy[v] - isa::exp2_approximate(dx[v] * log2_e) * terms.sum;
      dx[v] = dx[v] == minus_infinity ? 0 : difference * terms.factor;
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
