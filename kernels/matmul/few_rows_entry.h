// The host side of the kernel for few rows of A.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>

#include "matmul/few_rows.h"
#include "matmul/line.h"
#include "warpline/describe.h"
#include "warpline/error.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T, FewRowsConfig Config>
struct FewRowsLine {
  using Kernel = FewRowsMatmul<T, Config>;
  using Arguments = typename Kernel::Arguments;

  /// Elements from one row of A to the next in shared memory: four lanes' 16 bytes of neighbouring
  /// rows fall on different banks.
  static std::int64_t a_pitch(std::int64_t k) {
    constexpr std::int64_t banks = 2 * FewRowsConfig::bank_padding;
    return (k + banks - 1) / banks * banks + FewRowsConfig::bank_padding;
  }

  static std::string obstacle(const MatmulTask& task) {
    if (task.m > FewRowsConfig::rows) {
      return "it takes " + std::to_string(FewRowsConfig::rows) +
             " rows of A (or columns of B), not " + std::to_string(task.m);
    }
    if (task.batch != 1) {
      return "the batch is " + std::to_string(task.batch) + "; it takes one problem";
    }
    if (task.k % 8 != 0) {
      return "K is " + std::to_string(task.k) + "; it takes multiples of 8";
    }
    if (task.m * a_pitch(task.k) > Config.held) {
      return "A's " + std::to_string(task.m) + " rows (or B's columns) of " +
             std::to_string(task.k) + " elements, with space between them, are more than the " +
             std::to_string(Config.held) + " that shared memory has room for";
    }
    if (task.n > most_columns) {
      return "N (or M) is " + std::to_string(task.n) + "; it takes " + std::to_string(most_columns);
    }
    return {};
  }

  static void encode(const MatmulTask& task, void* memory) {
    isa::require_output_pointer(task.d, "D");
    prepare<Kernel>();
    if (const std::string why = obstacle(task); !why.empty()) {
      throw Error("few rows: " + why);
    }
    Arguments arguments{.a = static_cast<const T*>(task.a.data),
                        .a_stride = task.a.mn_stride,
                        .b = static_cast<const T*>(task.b.data),
                        .b_stride = task.b.mn_stride,
                        .rows = static_cast<int>(task.m),
                        .columns = static_cast<int>(task.n),
                        .k = static_cast<int>(task.k),
                        .a_pitch = static_cast<int>(a_pitch(task.k)),
                        .alpha = task.alpha,
                        .steps = task.steps + 1,
                        .step = {}};
    std::copy_n(task.step, task.steps, arguments.step);
    arguments.step[task.steps] = {.kind = EpilogueStep::Kind::store,
                                  .type = task.d_type,
                                  .data = task.d,
                                  .row_stride = task.d_row_stride,
                                  .column_stride = task.d_column_stride,
                                  .batch_stride = 0};
    new (memory) Arguments(arguments);
  }

  /// Every CTA has eight rows of B at least, or all there are.
  static void launch(const MatmulTask& task, const Place& place, const void* memory) {
    const std::int64_t resident = resident_clusters<Kernel>();
    const std::int64_t most =
        task.max_ctas > 0 ? std::min<std::int64_t>(task.max_ctas, resident) : resident;
    const std::int64_t groups = (task.n + FewRowsConfig::columns - 1) / FewRowsConfig::columns;
    warpline::launch<Kernel>(isa::stream_of(place.stream(), place.options()),
                             {static_cast<std::uint32_t>(std::min(groups, most)), 1, 1},
                             *static_cast<const Arguments*>(memory),
                             {.dependent = task.dependent_launch});
  }

  static constexpr MatmulLine line(const char* name) {
    return {.name = name,
            .type = std::is_same_v<T, __half> ? ElementType::fp16 : ElementType::bf16,
            .leave = Leave::threads,
            .block_m = FewRowsConfig::rows,
            .block_n = FewRowsConfig::columns,
            .block_k = Config.run,
            .stages = Config.stages,
            .streams_b = true,
            .argument_bytes = sizeof(Arguments),
            .workspace_bytes = [](const MatmulTask&) { return std::size_t{0}; },
            .obstacle = obstacle,
            .encode = encode,
            .launch = launch,
            .describe = describe<Kernel>};
  }

 private:
  static constexpr std::int64_t most_columns = 0x7fffffff - 512;
};

}  // namespace warpline::inline WARPLINE_TARGET
