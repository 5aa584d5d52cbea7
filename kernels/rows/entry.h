// The host side of a kernel of rows, as a line of its family's table.
#pragma once

#include <algorithm>
#include <new>
#include <utility>

#include "rows/direct_kernel.h"
#include "rows/row_kernel.h"
#include "rows/streamed_kernel.h"
#include "rows/unit.h"
#include "warpline/describe.h"
#include "warpline/occupancy.h"

namespace warpline::inline WARPLINE_TARGET {

namespace rows_detail {

template <class Op, RowConfig Config, RowPath Path = Config.path>
struct KernelOf {
  using Type = RowKernel<Op, Config>;
};
template <class Op, RowConfig Config>
struct KernelOf<Op, Config, RowPath::streamed> {
  using Type = StreamedRowKernel<Op, Config>;
};
template <class Op, RowConfig Config>
struct KernelOf<Op, Config, RowPath::direct> {
  using Type = DirectRowKernel<Op, Config>;
};

}  // namespace rows_detail

template <class Op, RowConfig Config>
struct RowEntry {
  using Kernel = typename rows_detail::KernelOf<Op, Config>::Type;
  using Arguments = typename Kernel::Arguments;
  using T = typename Op::Element;

  static unsigned encode(const RowTask& task, const void* op, void* memory) {
    for (const RowTask::Named& operand : task.memory) {
      isa::require_output_pointer(operand.data, operand.name);
    }
    Arguments arguments{};
    arguments.contiguous = true;
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
    arguments.op = *static_cast<const typename Op::Arguments*>(op);
    const int64_t ctas = encode_ctas(arguments, task.aligned);
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
            .inputs = Op::max_inputs,
            .capacity = Config.capacity(),
            .vector = Config.vector,
            .cluster = Config.cluster,
            .aligned = Config.aligned,
            .serves = serves(),
            .argument_bytes = sizeof(Arguments),
            .encode = encode,
            .launch = launch,
            .describe = describe<Kernel>};
  }

 private:
  /// What an operation takes beside rows of its type, if that is not all.
  static constexpr auto serves() -> bool (*)(const void*) {
    if constexpr (requires(const typename Op::Arguments& op) { Op::serves(Config, op); }) {
      return [](const void* op) {
        return Op::serves(Config, *static_cast<const typename Op::Arguments*>(op));
      };
    } else {
      return nullptr;
    }
  }

  static int64_t encode_ctas(Arguments& arguments, bool aligned) {
    if constexpr (Config.path == RowPath::direct) {
      return checked(arguments, (arguments.rows + Kernel::rows_per_cta - 1) / Kernel::rows_per_cta);
    } else {
      const int64_t resident = resident_ctas<Kernel>();
      return Config.whole_cta() ? encode_parts(arguments, resident)
                                : encode_stages(arguments, resident, aligned);
    }
  }

  static int64_t rounded_up(int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
  }

  /// A cluster for each row, as many as are resident.
  static int64_t encode_parts(Arguments& arguments, int64_t resident) {
    // Streamed: the threads' pieces are whole but at the row's end.
    const int64_t unit =
        Config.path == RowPath::streamed ? Config.threads * Config.vector : Kernel::unit;
    arguments.part = static_cast<int>(
        rounded_up((arguments.columns + Config.cluster - 1) / Config.cluster, unit));
    return share_out(arguments, arguments.rows, resident / Config.cluster) * Config.cluster;
  }

  /// As many rows in a stage as it has room for, but no more than leave every CTA something to do.
  static int64_t encode_stages(Arguments& arguments, int64_t resident, bool aligned) {
    constexpr int64_t at_a_time = Config.threads / Config.threads_per_row;
    // Rows that do not follow on each other begin on 16 bytes each; unaligned ones need room for
    // the neighbours in the same 16 bytes.
    const int64_t columns = arguments.columns;
    const int64_t pitch = arguments.contiguous || aligned
                              ? columns
                              : rounded_up(columns, Kernel::unit) + Kernel::unit;
    const int64_t room = Config.stage_elements / arguments.inputs;
    int64_t rows = room / pitch;
    const int64_t share = (arguments.rows + resident - 1) / resident;
    rows = std::min(rows, rounded_up(share, at_a_time));
    rows = rows > at_a_time ? rows / at_a_time * at_a_time : rows;
    arguments.rows_per_stage = static_cast<int>(std::max<int64_t>(rows, 1));
    arguments.pitch = static_cast<int>(pitch);
    arguments.plane = static_cast<int>(room + Kernel::unit);
    const int64_t stages =
        (arguments.rows + arguments.rows_per_stage - 1) / arguments.rows_per_stage;
    return share_out(arguments, stages, resident);
  }

  static int64_t checked(const Arguments& arguments, int64_t units) {
    if (units > RowShares::most_units) {
      throw Error(std::string(Kernel::launch.name) + ": " + std::to_string(arguments.rows) +
                  " rows are " + std::to_string(units) + " units of work; " +
                  std::to_string(RowShares::most_units) + " are possible");
    }
    return units;
  }

  static int64_t share_out(Arguments& arguments, int64_t units, int64_t resident) {
    checked(arguments, units);
    arguments.shares = {static_cast<int>(units), static_cast<int>(std::min(units, resident)),
                        Config.least_units()};
    return arguments.shares.ctas();
  }
};

namespace rows_detail {

template <class Op, int First, int... Kernels>
RowLines lines_of(std::integer_sequence<int, Kernels...>) {
  static constexpr RowLine all[] = {RowEntry<Op, config_of<Op>(First + Kernels)>::line()...};
  return {all, sizeof...(Kernels)};
}

}  // namespace rows_detail

template <class Op, int First>
RowLines RowUnit<Op, First>::lines() {
  constexpr int count = std::min(kernels_of<Op>() - First, kernels_per_unit);
  return rows_detail::lines_of<Op, First>(std::make_integer_sequence<int, count>{});
}

}  // namespace warpline::inline WARPLINE_TARGET
