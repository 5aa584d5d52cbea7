// The host side of a reduction, as a line of the table.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <new>

#include "reduction/reduce_kernel.h"
#include "reduction/reduce_line.h"
#include "reduction/reduce_ops.h"
#include "warpline/describe.h"
#include "warpline/occupancy.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Op` as in reduce_ops.h.
template <class Op>
struct ReduceEntry {
  using First = ReduceKernel<Op>;
  using Second = ReduceKernel<ReducePartials<Op>>;
  using Accumulator = typename Op::Accumulator;

  static int encode(const ReduceTask& task, ReducePass (&passes)[2]) {
    if (task.extents.columns > 0) {
      isa::require_output_pointer(task.x, "x");
    }
    isa::require_output_pointer(task.out, "out");
    const bool one_pass = task.extents.segments == 1;
    write<First>(passes[0], task.x, task.x_stride, task.extents,
                 one_pass ? task.out : task.partials, one_pass ? task.out_stride : 1,
                 one_pass ? task.out_type : ReduceOutput::accumulator);
    if (!one_pass) {
      const int64_t segments = task.extents.segments;
      write<Second>(passes[1], task.partials, segments,
                    {.rows = task.extents.rows, .columns = segments, .segment = segments}, task.out,
                    task.out_stride, task.out_type);
    }
    return one_pass ? 1 : 2;
  }

  static void launch(const Place& place, int passes, const ReducePass (&pass)[2]) {
#if WARPLINE_ON_GPU
    const Stream stream = place.stream();
#else
    const Stream stream{.options = place.options()};
#endif
    launch_one<First>(stream, pass[0]);
    if (passes == 2) {
      launch_one<Second>(stream, pass[1]);
    }
  }

  static void* allocate(std::size_t bytes) {
#if WARPLINE_ON_GPU
    void* memory = nullptr;
    isa::check_cuda(cudaMalloc(&memory, bytes), "reduce: cannot allocate its workspace");
    return memory;
#else
    return ::operator new(bytes, std::align_val_t{256});
#endif
  }
  static void release(void* memory) {
#if WARPLINE_ON_GPU
    cudaFree(memory);
#else
    ::operator delete(memory, std::align_val_t{256});
#endif
  }

  static constexpr ReduceLine line(ReduceKind kind) {
    return {.kind = kind,
            .type = element_type<typename Op::Element>(),
            .accumulator_bytes = sizeof(Accumulator),
            .encode = encode,
            .launch = launch,
            .allocate = allocate,
            .release = release,
            .describe = describe<First>};
  }

 private:
  template <class K>
  static void write(ReducePass& pass, const void* x, int64_t stride, const ReduceExtents& extents,
                    void* out, int64_t out_stride, ReduceOutput out_type) {
    using Arguments = typename K::Arguments;
    static_assert(sizeof(Arguments) <= sizeof(ReducePass::Arguments));
    const auto* data = static_cast<const typename K::T*>(x);
    const Arguments arguments{
        {data, stride, data, data + (extents.rows - 1) * stride + extents.columns},
        extents,
        out,
        out_stride,
        out_type};
    new (pass.arguments.bytes) Arguments(arguments);
    pass.ctas = static_cast<unsigned>(
        std::min<int64_t>(resident_ctas<K>(), extents.rows * extents.segments));
  }

  template <class K>
  static void launch_one(const Stream& stream, const ReducePass& pass) {
    warpline::launch<K>(stream, {pass.ctas, 1, 1},
                        *reinterpret_cast<const typename K::Arguments*>(pass.arguments.bytes));
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
