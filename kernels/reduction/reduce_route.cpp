#include "reduction/reduce_route.h"

#include <utility>

namespace warpline::reduction {

namespace {

/// The kept dimensions as one, where they are; else the one of neighbours is the inner one.
void normalize(ReduceExtents& e) {
  if (e.inner == 1 || (e.outer > 1 && e.x_outer < e.x_inner)) {
    std::swap(e.outer, e.inner);
    std::swap(e.x_outer, e.x_inner);
    std::swap(e.out_outer, e.out_inner);
  }
  if (e.outer > 1 && e.x_outer == e.inner * e.x_inner && e.out_outer == e.inner * e.out_inner) {
    e.inner *= e.outer;
    e.outer = 1;
  }
}

/// A tile of 2 KB, so that few copies fill a stage, or a narrower one if that gives the
/// multiprocessors something to do; whether a part is worth a CTA's ring.
bool cut_columns(ReduceTask& task) {
  ReduceExtents& e = task.extents;
  const std::int64_t bytes = bytes_of(task.type);
  constexpr std::int64_t worth = 2 * reduce_stage_bytes;
  for (std::int64_t tile_bytes = 2048; tile_bytes >= 128; tile_bytes /= 2) {
    const std::int64_t tile = std::min(tile_bytes / bytes, e.inner);
    const std::int64_t parts = e.outer * ((e.inner + tile - 1) / tile);
    const std::int64_t stage_rows = std::max<std::int64_t>(reduce_stage_bytes / (tile * bytes), 1);
    const std::int64_t most =
        std::min((reduce_parts + parts - 1) / parts, e.reduced * tile * bytes / worth);
    cut(e, most, stage_rows);
    task.tile = static_cast<int>(tile);
    if (parts * e.segments >= reduce_parts / 2) {
      break;
    }
  }
  // Copies of so few bytes take longer than threads' own loads: 1024 x 1024 of bf16 23 us.
  if (task.tile < e.inner && task.tile * bytes < 512) {
    return false;
  }
  return e.segment * task.tile * bytes >=
         (e.outer * e.segments >= reduce_parts ? worth / 4 : worth);
}

ReduceShape cut_task(ReduceTask& task) {
  ReduceExtents& e = task.extents;
  const std::int64_t bytes = bytes_of(task.type);
  const std::int64_t each = (reduce_parts + e.results() - 1) / e.results();
  // Many short rows are no work for a CTA each.
  if (e.x_reduced == 1 && e.reduced > 0 && (e.reduced * bytes >= 2048 || e.results() < 64)) {
    cut(e, each, reduce_stage_bytes / bytes);
    return ReduceShape::rows;
  }
  if (e.inner > 1 && e.x_inner == 1 && e.reduced > 1 && cut_columns(task)) {
    return ReduceShape::columns;
  }
  cut(e, each, 2048);
  return ReduceShape::strided;
}

}  // namespace

Route route(const ReduceTask& whole) {
  Route route{.first = whole};
  ReduceTask& first = route.first;
  normalize(first.extents);
  route.shape = cut_task(first);
  if (first.extents.segments == 1) {
    first.root = first.step == ReduceStep::norm;
    return route;
  }
  const bool argmax = first.step == ReduceStep::argmax;
  const ReduceExtents& e = first.extents;
  route.two = true;
  route.workspace_bytes =
      static_cast<std::size_t>(e.results() * e.segments) * (argmax ? sizeof(ArgmaxPartial) : 4);
  route.second = {
      .out = first.out,
      .extents = {.outer = e.outer,
                  .reduced = e.segments,
                  .inner = e.inner,
                  .x_outer = e.segments * e.inner,
                  .x_reduced = e.inner,
                  .x_inner = 1,
                  .out_outer = e.out_outer,
                  .out_inner = e.out_inner,
                  .segment = e.segments},
      .type = argmax || first.type == ElementType::int32 ? ElementType::int32 : ElementType::fp32,
      .pairs = argmax,
      .step = first.step == ReduceStep::norm ? ReduceStep::sum : first.step,
      .root = first.step == ReduceStep::norm,
      .out_type = first.out_type};
  first.out_type = ReduceOutput::accumulator;
  return route;
}

}  // namespace warpline::reduction
