// The host side of the backward pass, as a line of its table.
#pragma once

#include <algorithm>
#include <new>
#include <utility>

#include "normalization/norm_backward_kernel.h"
#include "normalization/norm_backward_unit.h"
#include "warpline/describe.h"
#include "warpline/occupancy.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T, NormBackwardConfig Config>
struct NormBackwardEntry {
  using Kernel = NormBackwardKernel<T, Config>;
  using Arguments = typename Kernel::Arguments;

  static unsigned encode(const RowTask& task, const void* op, void* memory) {
    for (const RowTask::Named& operand : task.memory) {
      isa::require_output_pointer(operand.data, operand.name);
    }
    Arguments arguments{};
    arguments.contiguous = Config.cluster == 1;
    for (int i = 0; i < task.inputs; ++i) {
      const T* data = static_cast<const T*>(task.in[i]);
      arguments.in[i] = {data, task.stride[i], data,
                         data + (task.rows - 1) * task.stride[i] + task.columns};
      arguments.contiguous = arguments.contiguous && task.stride[i] == task.columns;
    }
    arguments.rows = task.rows;
    arguments.columns = static_cast<int>(task.columns);
    arguments.inputs = task.inputs;
    arguments.bf16 = task.type == ElementType::bf16;
    arguments.op = *static_cast<const NormBackwardArguments*>(op);
    arguments.part =
        rounded_up((arguments.columns + Config.cluster - 1) / Config.cluster, Kernel::unit);
    const int64_t ctas = encode_stages(arguments, task.aligned);
    new (memory) Arguments(arguments);
    return static_cast<unsigned>(ctas);
  }

  static void launch(const Place& place, unsigned ctas, const void* memory) {
#if WARPLINE_ON_GPU
    const Stream stream = place.stream();
#else
    const Stream stream{.options = place.options()};
#endif
    // The kernel waits before it touches memory: what begins earlier is its start alone.
    warpline::launch<Kernel>(stream, {ctas, 1, 1}, *static_cast<const Arguments*>(memory),
                             {.dependent = true});
  }

  static constexpr RowLine line() {
    return {.name = Kernel::launch.name,
            .type = element_type<T>(),
            .inputs = norm_backward_inputs,
            .capacity = Config.capacity(),
            .vector = Config.vector,
            .cluster = Config.cluster,
            .aligned = Config.aligned,
            .argument_bytes = sizeof(Arguments),
            .encode = encode,
            .launch = launch,
            .describe = describe<Kernel>};
  }

 private:
  static int rounded_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

  /// As many rows in a stage as it has room for, but no more than leave every CTA something to do.
  static int64_t encode_stages(Arguments& arguments, bool aligned) {
    const int columns = std::min(arguments.columns, arguments.part);
    // Unaligned rows need room for the neighbours in their 16 bytes, unless they follow on each
    // other.
    arguments.pitch = arguments.contiguous ? columns
                      : aligned            ? rounded_up(columns, Kernel::unit)
                                           : rounded_up(columns, Kernel::unit) + Kernel::unit;
    const int64_t resident = resident_ctas<Kernel>() / Config.cluster;
    const int64_t share = (arguments.rows + resident - 1) / resident;
    int64_t rows = std::min<int64_t>(Config.stage_elements / arguments.inputs / arguments.pitch,
                                     Kernel::most_rows);
    rows = std::min(rows, (share + Kernel::rows_at_a_time - 1) / Kernel::rows_at_a_time *
                              Kernel::rows_at_a_time);
    rows = rows > Kernel::rows_at_a_time ? rows / Kernel::rows_at_a_time * Kernel::rows_at_a_time
                                         : rows;
    arguments.rows_per_stage = static_cast<int>(std::max<int64_t>(rows, 1));
    arguments.plane =
        rounded_up(arguments.rows_per_stage * arguments.pitch, Kernel::unit) + Kernel::unit;
    const int64_t stages =
        (arguments.rows + arguments.rows_per_stage - 1) / arguments.rows_per_stage;
    return std::min(resident, stages) * Config.cluster;
  }
};

namespace norm_backward_detail {

template <class T, int First, int... Kernels>
RowLines lines_of(std::integer_sequence<int, Kernels...>) {
  static constexpr RowLine all[] = {
      NormBackwardEntry<T, norm_backward_kernel_config(First + Kernels, sizeof(T))>::line()...};
  return {all, sizeof...(Kernels)};
}

}  // namespace norm_backward_detail

template <class T, int First>
RowLines NormBackwardUnit<T, First>::lines() {
  constexpr int count = std::min(norm_backward_kernels - First, norm_backward_kernels_per_unit);
  return norm_backward_detail::lines_of<T, First>(std::make_integer_sequence<int, count>{});
}

}  // namespace warpline::inline WARPLINE_TARGET
