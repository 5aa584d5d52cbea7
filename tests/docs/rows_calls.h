// The calls that docs/rows.md shows.
#pragma once

#include <cstdint>

// [include]
#include "normalization/norm.h"
#include "normalization/norm_backward.h"
#include "reduction/reduce.h"
#include "softmax/cross_entropy.h"
#include "softmax/softmax.h"
// [include]

namespace example {

// [attention]
/// Probabilities of causal attention: `heads` sequences of `length` scores each, row by row.
inline void probabilities(const warpline::Place& stream, __nv_bfloat16* p,
                          const __nv_bfloat16* scores, std::int64_t heads, std::int64_t length) {
  using warpline::row_major;
  warpline::softmax(stream, row_major(p, heads * length, length),
                    row_major(scores, heads * length, length),
                    {.scale = 0.125f, .causal = true, .causal_rows = length});
}
// [attention]

// [training]
/// The losses of a language model's logits, and their gradient in place of the logits. `lse` has a
/// number for each row; rows of target -100 are padding.
inline void losses(const warpline::Place& stream, float* loss, float* lse,
                   const warpline::MutableMatrix& logits, const std::int64_t* targets) {
  warpline::cross_entropy(stream, loss, lse, logits, targets, {.label_smoothing = 0.1f});
  warpline::cross_entropy_backward(stream, logits, logits, targets, lse, nullptr,
                                   {.label_smoothing = 0.1f});
}
// [training]

// [residual]
/// x += branch, and y = RMSNorm of it times a weight for each column: one pass over memory.
inline warpline::PreparedRows add_and_normalize(const warpline::Place& stream,
                                                const warpline::MutableMatrix& y,
                                                const warpline::MutableMatrix& x,
                                                const warpline::Matrix& branch,
                                                const warpline::Matrix& weight) {
  return warpline::rms_norm_plan(stream, y, x, {.weight = weight, .residual = branch, .sum = x});
}
// [residual]

// [sum]
/// The sum of a tensor of any size.
inline void total(const warpline::Place& stream, float* out, const float* x, std::int64_t size) {
  using warpline::row_major;
  warpline::reduce(stream, row_major(out, 1, 1), row_major(x, 1, size));
}
// [sum]

// [gradients]
/// What add_and_normalize's gradients are: dx of x and of the branch, dweight of the weight. `x` is
/// the sum that it has left, `dsum` the gradient that comes to the sum by other ways.
inline warpline::PreparedNormBackward gradients(
    const warpline::Place& stream, const warpline::MutableMatrix& dx,
    const warpline::MutableMatrix& dweight, const warpline::Matrix& dy, const warpline::Matrix& x,
    const warpline::Matrix& dsum, const warpline::Matrix& weight, const float* rstd) {
  return warpline::rms_norm_backward_plan(stream, dx, dy, x, rstd,
                                          {.weight = weight, .dsum = dsum, .dweight = dweight});
}
// [gradients]

// [dimension]
/// Of images x channels x pixels: each channel's largest pixel, and the strongest channel of each.
inline void strongest(const warpline::Place& stream, float* pixel, std::int64_t* channel,
                      const float* x, std::int64_t images, std::int64_t channels,
                      std::int64_t pixels) {
  using warpline::ReduceView;
  warpline::reduce(stream, warpline::row_major(pixel, images * channels, 1),
                   ReduceView::contiguous(x, images * channels, pixels, 1),
                   warpline::ReduceKind::maximum);
  warpline::argmax(stream, channel, ReduceView::contiguous(x, images, channels, pixels));
}
// [dimension]

}  // namespace example
