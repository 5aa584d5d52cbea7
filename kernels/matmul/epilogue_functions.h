// Epilogues fixed at compile time: function objects, composed by Then, for kernels of the caller's
// own unit (matmul/composed_matmul.h). One of your own is a struct with
//
//   WARPLINE_DEVICE float operator()(float x, const OutElement& at) const;
//
// or, for gated pairs, of two numbers and the element. Members are copied to the GPU with the
// kernel's arguments; pointers are to memory that the kernel can reach. It is called for elements
// inside of D only.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "matmul/step_math.h"
#include "warpline/isa/memory.h"

namespace warpline::inline WARPLINE_TARGET {

/// An element of D: of which row and column, of which problem of the batch.
struct OutElement {
  int row;
  int column;
  int matrix;
};

namespace function_detail {

WARPLINE_DEVICE float number(float x) { return x; }
WARPLINE_DEVICE float number(__half x) { return __half2float(x); }
WARPLINE_DEVICE float number(__nv_bfloat16 x) { return __bfloat162float(x); }

}  // namespace function_detail

/// x + v[row].
template <class T>
struct RowBias {
  const T* v;
  WARPLINE_DEVICE float operator()(float x, const OutElement& at) const {
    return x + function_detail::number(isa::load_global(v + at.row));
  }
};
/// x + v[column].
template <class T>
struct ColumnBias {
  const T* v;
  WARPLINE_DEVICE float operator()(float x, const OutElement& at) const {
    return x + function_detail::number(isa::load_global(v + at.column));
  }
};
/// x * v[row].
template <class T>
struct RowScale {
  const T* v;
  WARPLINE_DEVICE float operator()(float x, const OutElement& at) const {
    return x * function_detail::number(isa::load_global(v + at.row));
  }
};
/// x * v[column].
template <class T>
struct ColumnScale {
  const T* v;
  WARPLINE_DEVICE float operator()(float x, const OutElement& at) const {
    return x * function_detail::number(isa::load_global(v + at.column));
  }
};
/// x + factor * r[matrix][row][column]; columns are contiguous, strides in elements.
template <class T>
struct Residual {
  const T* r;
  int64_t row_stride;
  int64_t batch_stride = 0;
  float factor = 1;
  WARPLINE_DEVICE float operator()(float x, const OutElement& at) const {
    return x + factor * function_detail::number(isa::load_global(r + at.matrix * batch_stride +
                                                                 at.row * row_stride + at.column));
  }
};
/// x * factor.
struct Scale {
  float factor;
  WARPLINE_DEVICE float operator()(float x, const OutElement&) const { return x * factor; }
};
/// max(x, 0); NaN stays NaN.
struct Relu {
  WARPLINE_DEVICE float operator()(float x, const OutElement&) const { return step_math::relu(x); }
};
/// x/2 (1 + erf(x / sqrt 2)).
struct Gelu {
  WARPLINE_DEVICE float operator()(float x, const OutElement&) const { return step_math::gelu(x); }
};
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
struct GeluTanh {
  WARPLINE_DEVICE float operator()(float x, const OutElement&) const {
    return step_math::gelu_tanh(x);
  }
};
/// x / (1 + exp(-x)).
struct Silu {
  WARPLINE_DEVICE float operator()(float x, const OutElement&) const { return step_math::silu(x); }
};
/// min(max(x, low), high); NaN stays NaN.
struct Clamp {
  float low;
  float high;
  WARPLINE_DEVICE float operator()(float x, const OutElement&) const {
    return step_math::clamp(x, low, high);
  }
};

/// Of a pair: silu(gate) * x.
struct SwiGlu {
  WARPLINE_DEVICE float operator()(float gate, float x, const OutElement&) const {
    return step_math::silu(gate) * x;
  }
};
/// Of a pair: gelu(gate) * x.
struct GeGlu {
  WARPLINE_DEVICE float operator()(float gate, float x, const OutElement&) const {
    return step_math::gelu(gate) * x;
  }
};

/// Applies `First`, of one number or a pair, and the others to what it returns.
template <class First, class... Others>
struct Then {
  First first;
  Then<Others...> others;
  WARPLINE_DEVICE float operator()(float x, const OutElement& at) const {
    return others(first(x, at), at);
  }
  WARPLINE_DEVICE float operator()(float x, float y, const OutElement& at) const {
    return others(first(x, y, at), at);
  }
};
template <class Last>
struct Then<Last> {
  Last last;
  WARPLINE_DEVICE float operator()(float x, const OutElement& at) const { return last(x, at); }
  WARPLINE_DEVICE float operator()(float x, float y, const OutElement& at) const {
    return last(x, y, at);
  }
};

/// then(ColumnBias{v}, Relu{}) is the one after the other.
template <class Last>
Then<Last> then(Last last) {
  return {last};
}
template <class First, class Second, class... Others>
Then<First, Second, Others...> then(First first, Second second, Others... others) {
  return {first, then(second, others...)};
}

}  // namespace warpline::inline WARPLINE_TARGET
