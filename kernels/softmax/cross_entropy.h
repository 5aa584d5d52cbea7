// warpline::cross_entropy: loss[r] = -sum over c of q[r][c] * log p[r][c], p the softmax of
// t = logits * scale, q = 1 at the row's target and 0 elsewhere; and its gradient.
//
//   warpline::cross_entropy(stream, loss, lse, logits, targets);
//   warpline::cross_entropy_backward(stream, dlogits, logits, targets, lse, dloss);
//
// Both read the logits once; the second writes as much. Probabilities are not stored between them:
// `lse`, a number for each row, is enough to compute them again.
#pragma once

#include "rows/plan.h"
#include "softmax/targets.h"

namespace warpline {

struct CrossEntropyOptions {
  float scale = 1;
  /// q is (1 - label_smoothing) at the target, and label_smoothing / columns more everywhere.
  float label_smoothing = 0;
  /// Rows with this target have no loss and no gradient: zeros.
  std::int64_t ignore_index = -100;
};

/// logits: rows of 1 to 262,144 elements, fp16, bf16 or fp32, of any stride and address that the
/// type allows. `targets`, `loss` and `lse` have a number for each row; all are in the place's
/// memory. lse[r] = log(sum over c of exp(t[r][c])); null: not wanted. Sums in fp32.
///
/// A target that is neither a column nor ignore_index makes the row's loss NaN: it is not known
/// before the kernel runs. So does a NaN or +inf in the row, or a row of nothing but -inf; a target
/// of logit -inf has the loss +inf, as every other -inf has where labels are smoothed. No rows:
/// nothing to do. Throws Error naming operand, value and rule, and then nothing was launched.
PreparedRows cross_entropy_plan(const Place& place, float* loss, float* lse, const Matrix& logits,
                                const Targets& targets, const CrossEntropyOptions& options = {});

/// dlogits = (p - q) * dloss[r] * scale, from the forward pass's lse and with its options; a null
/// dloss stands for ones. dlogits of the logits' extents, any type; it may be the logits where all
/// falls on 16 bytes. A row whose target is neither a column nor ignore_index becomes NaN.
PreparedRows cross_entropy_backward_plan(const Place& place, const MutableMatrix& dlogits,
                                         const Matrix& logits, const Targets& targets,
                                         const float* lse, const float* dloss = nullptr,
                                         const CrossEntropyOptions& options = {});

/// The same, made ready and run.
void cross_entropy(const Place& place, float* loss, float* lse, const Matrix& logits,
                   const Targets& targets, const CrossEntropyOptions& options = {});
void cross_entropy_backward(const Place& place, const MutableMatrix& dlogits, const Matrix& logits,
                            const Targets& targets, const float* lse, const float* dloss = nullptr,
                            const CrossEntropyOptions& options = {});

}  // namespace warpline
