// The host side of a kernel of rows, as a line of its family's table.
#pragma once

#include <algorithm>
#include <new>

#include "rows/row_kernel.h"
#include "rows/unit.h"
#include "warpline/describe.h"
#include "warpline/occupancy.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Op, RowConfig Config>
struct RowEntry {
  using Kernel = RowKernel<Op, Config>;
  using Arguments = typename Kernel::Arguments;
  using T = typename Op::Element;

  static unsigned encode(const RowTask& task, const void* op, void* memory) {
    for (const RowTask::Named& operand : task.memory) {
      isa::require_output_pointer(operand.data, operand.name);
    }
    Arguments arguments{};
    arguments.contiguous = true;
    for (int i = 0; i < Op::inputs; ++i) {
      const T* data = static_cast<const T*>(task.in[i]);
      arguments.in[i] = {data, task.stride[i], data,
                         data + (task.rows - 1) * task.stride[i] + task.columns};
      arguments.contiguous = arguments.contiguous && task.stride[i] == task.columns;
    }
    arguments.rows = task.rows;
    arguments.columns = task.columns;
    arguments.op = *static_cast<const typename Op::Arguments*>(op);
    const int64_t resident = resident_ctas<Kernel>();
    const int64_t ctas =
        Config.whole_cta() ? encode_parts(arguments, resident) : encode_stages(arguments, resident);
    new (memory) Arguments(arguments);
    return static_cast<unsigned>(ctas);
  }

  static void launch(const Place& place, unsigned ctas, const void* memory) {
#if WARPLINE_ON_GPU
    const Stream stream = place.stream();
#else
    const Stream stream{.options = place.options()};
#endif
    warpline::launch<Kernel>(stream, {ctas, 1, 1}, *static_cast<const Arguments*>(memory));
  }

  static constexpr RowLine line() {
    return {.name = Op::name,
            .type = element_type<T>(),
            .inputs = Op::inputs,
            .capacity = Config.capacity(),
            .vector = Config.vector,
            .cluster = Config.cluster,
            .argument_bytes = sizeof(Arguments),
            .encode = encode,
            .launch = launch,
            .describe = describe<Kernel>};
  }

 private:
  static int64_t rounded_up(int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
  }

  /// A cluster for each row, as many as are resident.
  static int64_t encode_parts(Arguments& arguments, int64_t resident) {
    arguments.part =
        rounded_up((arguments.columns + Config.cluster - 1) / Config.cluster, Kernel::unit);
    return std::min(resident / Config.cluster, arguments.rows) * Config.cluster;
  }

  /// As many rows in a stage as it has room for, but no more than leave every CTA something to do.
  static int64_t encode_stages(Arguments& arguments, int64_t resident) {
    constexpr int64_t at_a_time = Config.threads / Config.threads_per_row;
    arguments.part = arguments.columns;
    // Rows that do not follow on each other begin on 16 bytes each; unaligned ones need room for
    // the neighbours in the same 16 bytes.
    const int64_t pitch = arguments.contiguous || Config.vector > 1
                              ? arguments.columns
                              : rounded_up(arguments.columns, Kernel::unit) + Kernel::unit;
    int64_t rows = Config.stage_elements / pitch;
    const int64_t share = (arguments.rows + resident - 1) / resident;
    rows = std::min(rows, rounded_up(share, at_a_time));
    rows = rows > at_a_time ? rows / at_a_time * at_a_time : rows;
    arguments.rows_per_stage = static_cast<int>(std::max<int64_t>(rows, 1));
    arguments.pitch = static_cast<int>(pitch);
    const int64_t stages =
        (arguments.rows + arguments.rows_per_stage - 1) / arguments.rows_per_stage;
    return std::min(resident, stages);
  }
};

template <class Op, int First>
RowLines RowUnit<Op, First>::lines() {
  constexpr int bytes = sizeof(typename Op::Element);
  static constexpr RowLine all[] = {
      RowEntry<Op, row_config(First, bytes, Op::inputs, true)>::line(),
      RowEntry<Op, row_config(First, bytes, Op::inputs, false)>::line(),
      RowEntry<Op, row_config(First + 1, bytes, Op::inputs, true)>::line(),
      RowEntry<Op, row_config(First + 1, bytes, Op::inputs, false)>::line(),
  };
  return {all, 4};
}

}  // namespace warpline::inline WARPLINE_TARGET
