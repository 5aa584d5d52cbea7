#include "reduction/reduce.h"

#include "reduction/reduce_line.h"
#include "rows/tables.h"

extern "C" {
[[gnu::weak]] const std::vector<warpline::ReduceLine>* warpline_reduce_gpu_lines();
[[gnu::weak]] const std::vector<warpline::ReduceLine>* warpline_reduce_simulator_lines();
}

namespace warpline {

struct PreparedReduction::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (own != nullptr) {
      line->release(own);
    }
  }

  const ReduceLine* line = nullptr;  ///< null: nothing to do
  bool on_gpu = false;
  void* own = nullptr;
  std::size_t workspace_bytes = 0;
  int passes = 0;
  ReducePass pass[2];
};

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error("reduce: " + what); }

template <class Pointer>
void check_memory(const char* name, const BasicMatrix<Pointer>& m) {
  if (m.data == nullptr) {
    refuse(std::string(name) + ": its address is null");
  }
  if (reinterpret_cast<std::uintptr_t>(m.data) % static_cast<unsigned>(bytes_of(m.type)) != 0) {
    refuse(std::string(name) + ": its address is no multiple of " +
           std::to_string(bytes_of(m.type)) + ", the size of " + name_of(m.type));
  }
}

void check(const MutableMatrix& out, const Matrix& x, ReduceKind kind) {
  if (x.rows < 0 || x.columns < 0) {
    refuse("x is " + std::to_string(x.rows) + " x " + std::to_string(x.columns) +
           "; extents are 0 or more");
  }
  if (out.rows != x.rows || out.columns != 1) {
    refuse("out is " + std::to_string(out.rows) + " x " + std::to_string(out.columns) +
           ", and x has " + std::to_string(x.rows) + " rows: it needs as many, of one element");
  }
  if ((x.type == ElementType::int32) != (out.type == ElementType::int32)) {
    refuse(std::string("x is ") + name_of(x.type) + ", and out is " + name_of(out.type) +
           ": both are int32 or neither");
  }
  if (x.type == ElementType::int32 && kind == ReduceKind::norm) {
    refuse("x is int32; a norm is of floating-point numbers");
  }
  if (x.rows == 0) {
    return;
  }
  check_memory("out", out);
  if (out.rows > 1 && out.row_stride < 1) {
    refuse("out: its row stride is " + std::to_string(out.row_stride) + "; it is 1 or more");
  }
  if (x.columns == 0) {
    return;
  }
  check_memory("x", x);
  if (x.columns > 1 && x.column_stride != 1) {
    refuse("x: its column stride is " + std::to_string(x.column_stride) +
           "; the elements of a row are next to each other (1)");
  }
  if (x.rows > 1 && x.row_stride < x.columns) {
    refuse("x: its row stride is " + std::to_string(x.row_stride) + " elements, less than its " +
           std::to_string(x.columns) + " columns");
  }
}

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

const ReduceLine& line_of(const Place& place, ElementType type, ReduceKind kind) {
  for (const ReduceLine& line : rows::table_of(place, warpline_reduce_gpu_lines,
                                               warpline_reduce_simulator_lines, "reduction")) {
    if (line.type == type && line.kind == kind) {
      return line;
    }
  }
  refuse(std::string("there is no such reduction of ") + name_of(type));
}

}  // namespace

PreparedReduction reduce_plan(const Place& place, const MutableMatrix& out, const Matrix& x,
                              ReduceKind kind, const ReduceOptions& options) {
  check(out, x, kind);
  auto state = std::make_shared<PreparedReduction::State>();
  state->on_gpu = place.on_gpu();
  if (x.rows == 0) {
    return PreparedReduction(state);
  }
  const ReduceLine& line = line_of(place, x.type, kind);
  ReduceTask task{.x = x.data,
                  .x_stride = x.row_stride,
                  .out = out.data,
                  .out_stride = out.row_stride,
                  .out_type = output_of(out.type),
                  .extents = cut_rows(x.rows, x.columns, bytes_of(x.type))};
  state->line = &line;
  if (task.extents.segments > 1) {
    state->workspace_bytes = static_cast<std::size_t>(task.extents.rows * task.extents.segments) *
                             line.accumulator_bytes;
    if (options.workspace == nullptr) {
      state->own = line.allocate(state->workspace_bytes);
    } else if (options.workspace_bytes < state->workspace_bytes) {
      refuse("workspace has " + std::to_string(options.workspace_bytes) + " bytes; " +
             std::to_string(state->workspace_bytes) + " are needed");
    } else if (reinterpret_cast<std::uintptr_t>(options.workspace) % 16 != 0) {
      refuse("workspace: its address is no multiple of 16");
    }
    task.partials = state->own != nullptr ? state->own : options.workspace;
  }
  state->passes = line.encode(task, state->pass);
  return PreparedReduction(state);
}

void PreparedReduction::run(const Place& place) const {
  if (place.on_gpu() != state_->on_gpu) {
    refuse(std::string("this plan was made for the ") + (state_->on_gpu ? "GPU" : "simulator"));
  }
  if (state_->line != nullptr) {
    state_->line->launch(place, state_->passes, state_->pass);
  }
}

std::size_t PreparedReduction::workspace_bytes() const { return state_->workspace_bytes; }

std::string PreparedReduction::describe() const {
  return state_->line == nullptr ? std::string() : state_->line->describe();
}

void reduce(const Place& place, const MutableMatrix& out, const Matrix& x, ReduceKind kind,
            const ReduceOptions& options) {
  reduce_plan(place, out, x, kind, options).run(place);
}

}  // namespace warpline
