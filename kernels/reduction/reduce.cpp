#include "reduction/reduce.h"

#include "reduction/reduce_checks.h"
#include "reduction/reduce_route.h"
#include "rows/tables.h"

extern "C" {
[[gnu::weak]] const warpline::ReduceTable* warpline_reduce_gpu_lines();
[[gnu::weak]] const warpline::ReduceTable* warpline_reduce_simulator_lines();
}

namespace warpline {

struct PreparedReduction::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (own != nullptr) {
      release(own);
    }
  }

  const ReduceLine* line = nullptr;  ///< null: nothing to do
  bool on_gpu = false;
  void* own = nullptr;
  void (*release)(void*) = nullptr;
  reduction::Route route;
  ReducePass pass[2];
};

namespace {

using reduction::refuse;

ReduceOutput output_of(ElementType type) {
  switch (type) {
    case ElementType::fp16:
      return ReduceOutput::fp16;
    case ElementType::bf16:
      return ReduceOutput::bf16;
    case ElementType::fp32:
      return ReduceOutput::fp32;
    case ElementType::int32:
      return ReduceOutput::int32;
  }
  return ReduceOutput::fp32;
}

/// Of rows, a kernel for each reduction; of columns, one for argmax and one for the others; of
/// anything, one for floating-point numbers and one for integers.
const ReduceLine& line_of(const ReduceTable& table, ReduceShape shape, const ReduceTask& task) {
  for (const ReduceLine& line : table.lines) {
    const bool type = line.type == task.type ||
                      (shape == ReduceShape::strided && line.type == ElementType::fp32 &&
                       task.type != ElementType::int32);
    const bool step = shape == ReduceShape::strided || line.step == task.step ||
                      (shape == ReduceShape::columns && line.step == ReduceStep::sum &&
                       task.step != ReduceStep::argmax);
    if (line.shape == shape && type && step) {
      return line;
    }
  }
  throw Error(std::string("there is no such reduction of ") + name_of(task.type));
}

void* workspace_of(const char* call, const ReduceTable& table, PreparedReduction::State& state,
                   const ReduceOptions& options) {
  const std::size_t bytes = state.route.workspace_bytes;
  if (options.workspace == nullptr) {
    state.release = table.release;
    state.own = table.allocate(bytes);
    return state.own;
  }
  if (options.workspace_bytes < bytes) {
    refuse(call, "workspace has " + std::to_string(options.workspace_bytes) + " bytes; " +
                     std::to_string(bytes) + " are needed");
  }
  if (reinterpret_cast<std::uintptr_t>(options.workspace) % 16 != 0) {
    refuse(call, "workspace: its address is no multiple of 16");
  }
  return options.workspace;
}

PreparedReduction plan(const char* call, const Place& place, const ReduceTask& task,
                       const ReduceOptions& options) {
  auto state = std::make_shared<PreparedReduction::State>();
  state->on_gpu = place.on_gpu();
  if (task.extents.results() == 0) {
    return PreparedReduction(state);
  }
  const bool argmax = task.step == ReduceStep::argmax;
  const int out_bytes = argmax                                ? 8
                        : task.out_type == ReduceOutput::fp16 ? 2
                        : task.out_type == ReduceOutput::bf16 ? 2
                                                              : 4;
  reduction::check_memory(
      call, {task.x, task.type, task.out, out_bytes, argmax ? "indices" : "out", &task.extents});
  const ReduceTable& table = rows::table_of(place, warpline_reduce_gpu_lines,
                                            warpline_reduce_simulator_lines, "reduction");
  reduction::Route& route = state->route;
  route = reduction::route(task);
  state->line = &line_of(table, route.shape, route.first);
  if (route.two) {
    route.second.x = route.first.out = workspace_of(call, table, *state, options);
    state->pass[1] = line_of(table, ReduceShape::strided, route.second).encode(route.second);
  }
  state->pass[0] = state->line->encode(route.first);
  return PreparedReduction(state);
}

ReduceTask task_of(const ReduceView& x, ReduceStep step) {
  return {.x = x.data,
          .extents = {.outer = x.outer,
                      .reduced = x.reduced,
                      .inner = x.inner,
                      .x_outer = x.outer_stride,
                      .x_reduced = x.reduced_stride,
                      .x_inner = x.inner_stride},
          .type = x.type,
          .step = step};
}

ReduceView view_of(const Matrix& x) {
  return {x.data, x.type, x.rows, x.columns, 1, x.row_stride, 1, 0};
}

template <class X>
PreparedReduction plan_reduction(const Place& place, const MutableMatrix& out, const X& x,
                                 const ReduceView& view, ReduceKind kind,
                                 const ReduceOptions& options) {
  reduction::check("reduce", out, x);
  reduction::check_types("reduce", x.type, out.type, kind);
  ReduceTask task = task_of(view, static_cast<ReduceStep>(kind));
  task.out = out.data;
  task.out_type = output_of(out.type);
  task.extents.out_outer = out.row_stride;
  task.extents.out_inner = out.column_stride;
  return plan("reduce", place, task, options);
}

template <class X>
PreparedReduction plan_argmax(const Place& place, std::int64_t* indices, const X& x,
                              const ReduceView& view, const ReduceOptions& options) {
  reduction::check("argmax", {nullptr, view.type, view.outer, view.inner, view.inner}, x);
  if (view.reduced == 0 && view.outer * view.inner > 0) {
    refuse("argmax", "x has rows of 0 elements; they have one at least");
  }
  ReduceTask task = task_of(view, ReduceStep::argmax);
  task.out = indices;
  task.out_type = ReduceOutput::index;
  task.extents.out_outer = view.inner;
  task.extents.out_inner = 1;
  return plan("argmax", place, task, options);
}

}  // namespace

PreparedReduction reduce_plan(const Place& place, const MutableMatrix& out, const Matrix& x,
                              ReduceKind kind, const ReduceOptions& options) {
  return plan_reduction(place, out, x, view_of(x), kind, options);
}

PreparedReduction reduce_plan(const Place& place, const MutableMatrix& out, const ReduceView& x,
                              ReduceKind kind, const ReduceOptions& options) {
  return plan_reduction(place, out, x, x, kind, options);
}

PreparedReduction argmax_plan(const Place& place, std::int64_t* indices, const Matrix& x,
                              const ReduceOptions& options) {
  return plan_argmax(place, indices, x, view_of(x), options);
}

PreparedReduction argmax_plan(const Place& place, std::int64_t* indices, const ReduceView& x,
                              const ReduceOptions& options) {
  return plan_argmax(place, indices, x, x, options);
}

void PreparedReduction::run(const Place& place) const {
  if (place.on_gpu() != state_->on_gpu) {
    refuse("reduce",
           std::string("this plan was made for the ") + (state_->on_gpu ? "GPU" : "simulator"));
  }
  if (state_->line != nullptr) {
    state_->pass[0].launch(place, state_->pass[0]);
    if (state_->route.two) {
      state_->pass[1].launch(place, state_->pass[1]);
    }
  }
}

std::size_t PreparedReduction::workspace_bytes() const { return state_->route.workspace_bytes; }

std::string PreparedReduction::describe() const {
  return state_->line == nullptr ? std::string() : state_->line->describe();
}

std::string PreparedReduction::choice() const {
  if (state_->line == nullptr) {
    return "nothing to do";
  }
  constexpr const char* names[] = {"rows", "columns", "strided"};
  const ReduceExtents& extents = state_->route.first.extents;
  return std::string(names[static_cast<int>(state_->route.shape)]) + ", " +
         std::to_string(extents.segments) + " segments of " + std::to_string(extents.segment) +
         ", " + std::to_string(state_->pass[0].ctas) + " CTAs";
}

void reduce(const Place& place, const MutableMatrix& out, const Matrix& x, ReduceKind kind,
            const ReduceOptions& options) {
  reduce_plan(place, out, x, kind, options).run(place);
}

void reduce(const Place& place, const MutableMatrix& out, const ReduceView& x, ReduceKind kind,
            const ReduceOptions& options) {
  reduce_plan(place, out, x, kind, options).run(place);
}

void argmax(const Place& place, std::int64_t* indices, const Matrix& x,
            const ReduceOptions& options) {
  argmax_plan(place, indices, x, options).run(place);
}

void argmax(const Place& place, std::int64_t* indices, const ReduceView& x,
            const ReduceOptions& options) {
  argmax_plan(place, indices, x, options).run(place);
}

}  // namespace warpline
