// Kernels of rows whose operands begin at odd elements, each at its own, on the unit's target.
#pragma once

#include "tests/kernels/cross_entropy_checks.h"
#include "tests/kernels/norm_backward_checks.h"
#include "tests/kernels/norm_checks.h"
#include "tests/kernels/softmax_backward_checks.h"
#include "tests/kernels/softmax_checks.h"

namespace warpline::tests::inline WARPLINE_TARGET {

inline constexpr ElementType types_anywhere[] = {ElementType::fp16, ElementType::bf16,
                                                 ElementType::fp32};

/// Of a tensor `rows` x `columns`: where it begins and how far its rows are apart are drawn from
/// the seed. Most begin at element 1, 3 or 7 of their memory, and are an odd number of elements
/// apart.
inline RowShape row_anywhere(std::int64_t rows, std::int64_t columns, unsigned seed) {
  constexpr std::int64_t offsets[] = {1, 3, 7, 0, 4};
  constexpr std::int64_t paddings[] = {0, 1, 8, 3};
  return {.rows = rows,
          .columns = columns,
          .padding = paddings[seed / 5 % 4] + (seed / 20 % 2 == 0 ? columns % 2 : 0),
          .offset = offsets[seed % 5]};
}

/// Every operation once; the operands' places, types and options are drawn from the seed.
inline void check_anywhere(std::int64_t rows, std::int64_t columns, const Stream& stream,
                           unsigned seed) {
  std::mt19937 random(seed);
  const auto shape = [&] {
    return row_anywhere(rows, columns, static_cast<unsigned>(random()) % 10000);
  };
  const auto type = [&] { return types_anywhere[random() % 3]; };
  const auto offset = [&] { return static_cast<std::int64_t>(random() % 8); };
  check_softmax({.x_type = type(),
                 .y_type = type(),
                 .x = shape(),
                 .y = shape(),
                 .logarithm = seed % 2 == 0,
                 .mask_rows = static_cast<std::int64_t>(random() % 3),
                 .mask_type = type(),
                 .mask_offset = offset()},
                stream, seed);
  check_softmax_backward({.type = type(),
                          .dx_type = type(),
                          .y = shape(),
                          .dy = shape(),
                          .dx = shape(),
                          .logarithm = seed % 2 == 1},
                         stream, seed);
  check_cross_entropy(
      {.type = type(), .dlogits_type = type(), .logits = shape(), .dlogits = shape()}, stream,
      seed);
  for (const bool layer : {false, true}) {
    check_norm({.layer = layer,
                .x_type = type(),
                .y_type = type(),
                .weight_type = type(),
                .x = shape(),
                .y = shape(),
                .weight_offset = offset(),
                .bias_offset = offset(),
                .bias = random() % 2 == 0,
                .residual = random() % 3 == 0,
                // Of two numbers that are nearly alike the distance from their mean, which is
                // LayerNorm's largest then, has lost more digits than its scale may.
                .fp8 = random() % 4 == 0 && (!layer || columns > 4)},
               stream, seed);
    check_norm_backward({.layer = layer,
                         .type = type(),
                         .weight_type = type(),
                         .h = shape(),
                         .dx = shape(),
                         .dy = shape(),
                         .weight_offset = offset(),
                         .weight = random() % 4 != 0,
                         .dsum = random() % 3 == 0,
                         .dbias = layer},
                        stream, seed);
  }
}

/// What streams long rows, of one type, beginning `offset` elements behind 16 bytes; weights and
/// masks lie elsewhere.
inline void check_long(ElementType type, const RowShape& shape, const Stream& stream,
                       unsigned seed) {
  const ElementType other = seed % 2 == 0 ? ElementType::fp32 : ElementType::bf16;
  check_softmax({.x_type = type,
                 .y_type = type,
                 .x = shape,
                 .y = shape,
                 .logarithm = seed % 2 == 0,
                 .mask_rows = seed % 3 == 0 ? 2 : 0,
                 .mask_type = other,
                 .mask_offset = 3,
                 .causal = seed % 4 == 1,
                 .causal_offset = shape.columns / 2},
                stream, seed);
  CrossEntropyCase entropy = plain_cross_entropy(type, shape);
  entropy.smoothing = seed % 2 == 0 ? 0.1F : 0;
  check_cross_entropy(entropy, stream, seed);
  check_softmax_backward(plain_backward(type, shape, seed % 2 == 0), stream, seed);
  for (const bool layer : {false, true}) {
    check_norm({.layer = layer,
                .x_type = type,
                .y_type = type,
                .weight_type = other,
                .x = shape,
                .y = shape,
                .weight_offset = 5,
                .bias_offset = 2,
                .bias = layer,
                .residual = seed % 3 == 1,
                .shift = 10},
               stream, seed);
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
