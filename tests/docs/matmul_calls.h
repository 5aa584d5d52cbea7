// The calls that README.md and docs/matmul.md show.
#pragma once

#include <cstdint>
#include <vector>

// [include]
#include "matmul/matmul.h"
// [include]

namespace example {

// [call]
/// Y = X * W^T: `stream` is a cudaStream_t, or the simulator's options.
inline void linear(const warpline::Place& stream, __half* y, const __half* x, const __half* weight,
                   std::int64_t rows, std::int64_t outputs, std::int64_t inputs) {
  using warpline::row_major;
  warpline::matmul(stream, row_major(y, rows, outputs),               // D, M x N
                   row_major(x, rows, inputs),                        // A, M x K
                   row_major(weight, outputs, inputs).transposed());  // B, K x N
}
// [call]

// [epilogue]
/// Y = GELU(X * W^T + bias) + R; bias has an element for each column, R is as large as Y.
inline warpline::PreparedMatmul linear_gelu(const warpline::Place& stream,
                                            const warpline::MutableMatrix& y,
                                            const warpline::Matrix& x,
                                            const warpline::Matrix& weight, const float* bias,
                                            const warpline::Matrix& r) {
  using namespace warpline::epilogue;
  return warpline::matmul_plan(stream, y, x, weight.transposed(),
                               {.epilogue = {column_bias(bias), gelu_tanh(), residual(r)}});
}
// [epilogue]

// [batch]
/// For each of `heads` heads, S = Q * K^T / 8: the heads lie one after the other in each row of Q
/// and K, 64 columns each.
inline void scores(const warpline::Place& stream, float* s, const __nv_bfloat16* q,
                   const __nv_bfloat16* k, std::int64_t tokens, std::int64_t heads) {
  using warpline::row_major;
  const std::int64_t width = heads * 64;
  warpline::matmul(stream, row_major(s, tokens, tokens).in_batch(tokens * tokens),
                   row_major(q, tokens, 64, width).in_batch(64),
                   row_major(k, tokens, 64, width).transposed().in_batch(64),
                   {.alpha = 0.125f, .batch = heads});
}
// [batch]

// [addresses]
/// Problems whose operands lie anywhere: arrays of addresses, in host memory.
inline void expert_outputs(const warpline::Place& stream, const std::vector<void*>& y,
                           const std::vector<const void*>& x,
                           const std::vector<const void*>& weight, std::int64_t rows,
                           std::int64_t outputs, std::int64_t inputs) {
  using warpline::ElementType;
  const warpline::MutableMatrix d(nullptr, ElementType::bf16, rows, outputs, outputs);
  const warpline::Matrix a(nullptr, ElementType::bf16, rows, inputs, inputs);
  const warpline::Matrix b(nullptr, ElementType::bf16, inputs, outputs, outputs);
  warpline::matmul(stream, d.at(y.data()), a.at(x.data()), b.at(weight.data()),
                   {.batch = static_cast<std::int64_t>(y.size())});
}
// [addresses]

// [plan]
/// Checked, chosen and encoded once; run() only launches.
inline void train(const warpline::Place& stream, const warpline::MutableMatrix& d,
                  const warpline::Matrix& a, const warpline::Matrix& b, int steps) {
  const warpline::PreparedMatmul multiply = warpline::matmul_plan(stream, d, a, b);
  for (int step = 0; step < steps; ++step) {
    multiply.run(stream);
  }
}
// [plan]

}  // namespace example
