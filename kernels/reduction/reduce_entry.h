// The host side of reductions of rows, as lines of the table.
#pragma once

#include "reduction/reduce_kernel.h"
#include "reduction/reduce_pass.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Op` as in reduce_ops.h.
template <class Op>
struct ReduceEntry {
  using Kernel = ReduceKernel<Op>;
  using T = typename Op::Element;

  static ReducePass encode(const ReduceTask& task) {
    require_memory(task);
    const ReduceExtents& extents = task.extents;
    const auto* data = static_cast<const T*>(task.x);
    const T* last = data + ((extents.outer - 1) * extents.x_outer +
                            (extents.inner - 1) * extents.x_inner + extents.reduced);
    const typename Kernel::Arguments arguments{
        {data, extents.x_inner, data, last}, extents, task.out, task.out_type, task.root};
    return make_pass<Kernel>(arguments, extents.results() * extents.segments);
  }

  static constexpr ReduceLine line() {
    return {.shape = ReduceShape::rows,
            .step = Op::step,
            .type = element_type<T>(),
            .encode = encode,
            .describe = describe<Kernel>};
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
