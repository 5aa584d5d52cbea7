// The kernels for few rows of A.
#include "matmul/few_rows_entry.h"

namespace warpline::inline WARPLINE_TARGET {

namespace {

/// Three stages of 32 KB are as fast as six (docs/measurements.md); A has what is left: four rows
/// of 14,336 elements, or one of 60,000.
constexpr FewRowsConfig few_rows{.run = 2048, .stages = 3, .held = 62720};

}  // namespace

MatmulLine few_rows_fp16() { return FewRowsLine<__half, few_rows>::line("few_rows"); }
MatmulLine few_rows_bf16() { return FewRowsLine<__nv_bfloat16, few_rows>::line("few_rows"); }

}  // namespace warpline::inline WARPLINE_TARGET
