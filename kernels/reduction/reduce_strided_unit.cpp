// Reductions of elements that lie anywhere.
#include "reduction/reduce_pass.h"
#include "reduction/reduce_strided.h"
#include "reduction/reduce_units.h"

namespace warpline::inline WARPLINE_TARGET {

namespace {

/// As many lanes for a result as its segment keeps busy.
template <class Value>
ReducePass encode(const ReduceTask& task) {
  require_memory(task);
  const ReduceExtents& extents = task.extents;
  ReduceStridedArguments arguments{.task = task, .lanes = 1, .lanes_are_neighbours = false};
  const int64_t results = extents.results() * extents.segments;
  arguments.lanes_are_neighbours =
      extents.x_reduced < (extents.inner > 1 ? extents.x_inner : extents.x_outer);
  // Of results that are neighbours, 16 in a CTA at least: 64 bytes of what a warp loads at once.
  const bool beside = !arguments.lanes_are_neighbours && extents.results() >= 16;
  const int most = reduce_strided_threads / (beside ? 16 : 1);
  while (arguments.lanes < most && arguments.lanes * 4 < extents.segment &&
         results * arguments.lanes < reduce_parts * reduce_strided_threads) {
    arguments.lanes *= 2;
  }
  arguments.lanes = arguments.lanes == 2 ? 4 : arguments.lanes;
  const int at_once = reduce_strided_threads / arguments.lanes;
  return make_pass<ReduceStrided<Value>>(
      arguments, (extents.results() + at_once - 1) / at_once * extents.segments);
}

template <class Value>
constexpr ReduceLine line() {
  return {.shape = ReduceShape::strided,
          .type = element_type<Value>(),
          .encode = encode<Value>,
          .describe = describe<ReduceStrided<Value>>};
}

}  // namespace

void add_reduce_strided(std::vector<ReduceLine>& table) {
  table.push_back(line<float>());
  table.push_back(line<int32_t>());
}

}  // namespace warpline::inline WARPLINE_TARGET
