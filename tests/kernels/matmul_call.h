// What warpline::matmul must do, on either target: the right result for every layout and type, with
// tails, odd strides, batches and empty extents.
#pragma once

#include <stdexcept>

#include "matmul/line.h"
#include "tests/kernels/matmul_call_case.h"
#include "tests/support/catch.h"
#include "warpline/error.h"

namespace warpline::tests::inline WARPLINE_TARGET {

inline const std::vector<MatmulLine>& call_lines() {
#if WARPLINE_ON_GPU
  return gpu_matmul_lines();
#else
  return simulator_matmul_lines();
#endif
}

/// Kernels that take what the copy engine cannot: any address and stride, types of D, epilogues.
inline bool has_general_lines() {
  for (const MatmulLine& line : call_lines()) {
    if (line.fill == Fill::threads && line.leave == Leave::threads) {
      return true;
    }
  }
  return false;
}

inline const MatmulLine& call_line(const std::string& kernel) {
  for (const MatmulLine& line : call_lines()) {
    if (line.name == kernel) {
      return line;
    }
  }
  throw std::logic_error("no kernel " + kernel);
}

inline void check_call(const CallShape& shape, unsigned seed, const Place& place,
                       const std::string& kernel = {}, int splits = 0) {
  INFO(to_string(shape) << ", seed " << seed);
  const CallCase call(shape, seed);
  MatmulOptions options = call.options();
  options.kernel = kernel;
  options.splits = splits;
  options.deterministic = seed % 3 == 0;
  options.max_ctas = seed % 5 == 0 ? 2 : 0;
  const PreparedMatmul plan = matmul_plan(place, call.d(), call.a(), call.b(), options);
  INFO(plan.choice());
  // Twice: a run leaves its workspace as it has found it.
  for (int run = 0; run < (plan.workspace_bytes() > 0 ? 2 : 1); ++run) {
    call.restore();
    plan.run(place);
    REQUIRE(call.error() == "");
  }
}

inline std::int64_t up_to(std::mt19937& random, std::int64_t most) {
  return 1 + static_cast<std::int64_t>(random() % static_cast<unsigned long>(most));
}

inline bool one_in(std::mt19937& random, unsigned turns) { return random() % turns == 0; }

/// What the copy engine takes: strides and the contiguous extent of D in units of 16 bytes.
inline CallShape aligned_shape(std::mt19937& random, std::int64_t largest) {
  CallShape shape{.m = up_to(random, largest),
                  .n = up_to(random, largest),
                  .k = up_to(random, largest),
                  .batch = one_in(random, 4) ? up_to(random, 3) : 1,
                  .type = one_in(random, 2) ? ElementType::fp16 : ElementType::bf16,
                  .by_address = one_in(random, 6)};
  shape.d_type = shape.type;
  shape.alpha = one_in(random, 4) ? -0.5f : 1.0f;
  for (CallLayout* layout : {&shape.a, &shape.b, &shape.d}) {
    layout->column_major = one_in(random, 2);
    layout->offset = one_in(random, 3) ? 8 : 0;
  }
  std::int64_t& inner = shape.d.column_major ? shape.m : shape.n;
  inner = (inner + 7) / 8 * 8;
  shape.a.shared = one_in(random, 4);
  shape.b.shared = one_in(random, 4);
  const auto pad = [&](CallLayout& layout, std::int64_t rows, std::int64_t columns) {
    const std::int64_t contiguous = layout.column_major ? rows : columns;
    layout.padding = static_cast<int>((contiguous + 7) / 8 * 8 - contiguous + random() % 3 * 8);
  };
  pad(shape.a, shape.m, shape.k);
  pad(shape.b, shape.k, shape.n);
  pad(shape.d, shape.m, shape.n);
  return shape;
}

/// Anything that the call takes.
inline CallShape any_shape(std::mt19937& random, std::int64_t largest) {
  CallShape shape = aligned_shape(random, largest);
  shape.m = up_to(random, largest);
  shape.n = up_to(random, largest);
  shape.k = one_in(random, 8) ? 0 : up_to(random, largest);
  for (CallLayout* layout : {&shape.a, &shape.b, &shape.d}) {
    layout->padding = static_cast<int>(random() % 20);
    layout->offset = static_cast<int>(random() % 9);
  }
  constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};
  shape.d_type = types[random() % 3];
  shape.beta = one_in(random, 3) ? 0.75f : 0.0f;
  shape.in_place = shape.beta != 0 && one_in(random, 2);
  return shape;
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
