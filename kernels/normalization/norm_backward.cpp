#include "normalization/norm_backward.h"

#include <optional>
#include <tuple>

#include "normalization/norm_backward_arguments.h"
#include "normalization/norm_lines.h"
#include "reduction/reduce.h"
#include "reduction/reduce_line.h"
#include "rows/tables.h"

extern "C" {
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_norm_backward_gpu_lines();
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_norm_backward_simulator_lines();
[[gnu::weak]] const warpline::NormGradientsLine* warpline_norm_gradients_gpu_line();
[[gnu::weak]] const warpline::NormGradientsLine* warpline_norm_gradients_simulator_line();
[[gnu::weak]] const warpline::ReduceTable* warpline_reduce_gpu_lines();
[[gnu::weak]] const warpline::ReduceTable* warpline_reduce_simulator_lines();
}

namespace warpline {

struct PreparedNormBackward::State {
  explicit State(PreparedRows plan) : rows(std::move(plan)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (own != nullptr) {
      release(own);
    }
  }

  PreparedRows rows;
  /// Of what `rows` leaves in the workspace.
  NormGradients gradients;
  const NormGradientsLine* line = nullptr;
  /// dbias of the longest rows: of dy.
  std::optional<PreparedReduction> bias;
  void* own = nullptr;
  void (*release)(void*) = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace {

using Operands = std::vector<rows::Operand>;

TypedRows typed(const Matrix& matrix) {
  return {const_cast<void*>(matrix.data), matrix.row_stride, matrix.type};
}

[[noreturn]] void refuse(const char* call, const std::string& what) {
  throw Error(std::string(call) + ": " + what);
}

/// rstd or mean.
rows::Operand of_rows(const char* name, const float* data, std::int64_t rows) {
  return {.name = name, .matrix = {data, ElementType::fp32, rows, 1, 1}, .per_row = true};
}

Operands operands_of(const char* call, const MutableMatrix& dx, const Matrix& dy, const Matrix& h,
                     const NormBackwardOptions& options) {
  if (dx.type != h.type) {
    refuse(call, std::string("dx is ") + name_of(dx.type) + ", and the rows are " +
                     name_of(h.type) + ": it needs the same type");
  }
  Operands operands = {{.name = "h", .matrix = h, .streamed = true},
                       {.name = "dy", .matrix = dy, .streamed = true}};
  if (options.dsum.data != nullptr) {
    operands.push_back({.name = "dsum", .matrix = options.dsum, .streamed = true});
  }
  operands.push_back({.name = "dx", .matrix = dx, .written = true});
  const std::tuple<const char*, Matrix, bool> of_columns[] = {{"weight", options.weight, false},
                                                              {"dweight", options.dweight, true},
                                                              {"dbias", options.dbias, true}};
  for (const auto& [name, matrix, written] : of_columns) {
    if (matrix.data == nullptr) {
      continue;
    }
    if (matrix.rows != 1) {
      refuse(call, std::string(name) + " has " + std::to_string(matrix.rows) + " rows; it has one");
    }
    operands.push_back({.name = name, .matrix = matrix, .written = written, .broadcast = true});
  }
  return operands;
}

std::size_t rounded_up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// The workspace, piece by piece: counts bytes, then gives addresses.
class Pieces {
 public:
  void* take(std::size_t size) {
    void* const piece = base_ == nullptr ? nullptr : base_ + used_;
    used_ += rounded_up(size);
    return piece;
  }
  std::size_t used() const { return used_; }
  void begin_at(void* base) {
    base_ = static_cast<unsigned char*>(base);
    used_ = 0;
  }

 private:
  unsigned char* base_ = nullptr;
  std::size_t used_ = 0;
};

struct Problem {
  const char* call;
  const Place& place;
  Operands operands;
  NormBackwardArguments arguments;
  Matrix dy;
  const NormBackwardOptions& options;
};

void add_workspace(const Problem& problem, PreparedNormBackward::State& state, Pieces& pieces) {
  state.workspace_bytes = pieces.used();
  if (state.workspace_bytes == 0) {
    return;
  }
  void* workspace = problem.options.workspace;
  if (workspace == nullptr) {
    const ReduceTable& table = rows::table_of(problem.place, warpline_reduce_gpu_lines,
                                              warpline_reduce_simulator_lines, "reduction");
    state.release = table.release;
    workspace = state.own = table.allocate(state.workspace_bytes);
  } else if (problem.options.workspace_bytes < state.workspace_bytes) {
    refuse(problem.call, "workspace has " + std::to_string(problem.options.workspace_bytes) +
                             " bytes; " + std::to_string(state.workspace_bytes) + " are needed");
  } else if (reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0) {
    refuse(problem.call, "workspace: its address is no multiple of 16");
  }
  pieces.begin_at(workspace);
}

std::shared_ptr<PreparedNormBackward::State> prepare(Problem& problem) {
  const auto& table = rows::table_of(problem.place, warpline_norm_backward_gpu_lines,
                                     warpline_norm_backward_simulator_lines, "normalization");
  const auto prepare_rows = [&] {
    return rows::prepare(problem.place, table, problem.call, problem.operands, &problem.arguments);
  };
  auto state = std::make_shared<PreparedNormBackward::State>(prepare_rows());
  const NormBackwardOptions& options = problem.options;
  NormGradients& gradients = state->gradients;
  state->line = &rows::table_of(problem.place, warpline_norm_gradients_gpu_line,
                                warpline_norm_gradients_simulator_line, "normalization");
  gradients.columns = problem.dy.columns;
  gradients.rows = static_cast<int>(state->rows.groups());
  gradients.choose_parts();
  const RowLine* line = state->rows.line();
  const bool bias_of_dy = options.dbias.data != nullptr && line != nullptr &&
                          line->capacity > norm_backward_bias_capacity;

  // How many bytes; then the same again with addresses.
  Pieces pieces;
  ReduceOptions bias;
  for (const bool counting : {true, false}) {
    gradients.count = 0;
    const auto sum_rows = [&](const MutableMatrix& out, float*& partial) {
      partial = static_cast<float*>(pieces.take(
          static_cast<std::size_t>(gradients.rows * gradients.columns) * sizeof(float)));
      gradients.gradient[gradients.count++] = {partial, out.data, out.type};
    };
    if (options.dweight.data != nullptr) {
      sum_rows(options.dweight, problem.arguments.dweight);
    }
    if (options.dbias.data != nullptr && !bias_of_dy) {
      sum_rows(options.dbias, problem.arguments.dbias);
    }
    if (bias_of_dy) {
      const ReduceView dy = ReduceView::columns_of(problem.dy);
      if (counting) {
        bias.workspace_bytes = reduce_plan(problem.place, options.dbias, dy).workspace_bytes();
      }
      bias.workspace = pieces.take(bias.workspace_bytes);
      if (!counting) {
        state->bias = reduce_plan(problem.place, options.dbias, dy, ReduceKind::sum, bias);
      }
    }
    if (counting) {
      add_workspace(problem, *state, pieces);
    }
  }
  if (gradients.count > 0) {
    state->line->prepare(gradients);
  }
  state->rows = prepare_rows();
  return state;
}

PreparedNormBackward plan(const char* call, const Place& place, bool layer, const MutableMatrix& dx,
                          const Matrix& dy, const Matrix& h, const float* mean, const float* rstd,
                          const NormBackwardOptions& options) {
  Problem problem{.call = call,
                  .place = place,
                  .operands = operands_of(call, dx, dy, h, options),
                  .arguments = {.dx = typed(dx),
                                .rstd = rstd,
                                .mean = mean,
                                .of_one = 1 / static_cast<float>(h.columns),
                                .layer = layer},
                  .dy = dy,
                  .options = options};
  if (options.weight.data != nullptr) {
    problem.arguments.weight = typed(options.weight);
  }
  problem.operands.push_back(of_rows("rstd", rstd, h.rows));
  if (layer) {
    problem.operands.push_back(of_rows("mean", mean, h.rows));
  }
  return PreparedNormBackward(prepare(problem));
}

}  // namespace

PreparedNormBackward rms_norm_backward_plan(const Place& place, const MutableMatrix& dx,
                                            const Matrix& dy, const Matrix& h, const float* rstd,
                                            const NormBackwardOptions& options) {
  return plan("rms_norm_backward", place, false, dx, dy, h, nullptr, rstd, options);
}

PreparedNormBackward layer_norm_backward_plan(const Place& place, const MutableMatrix& dx,
                                              const Matrix& dy, const Matrix& h, const float* mean,
                                              const float* rstd,
                                              const NormBackwardOptions& options) {
  return plan("layer_norm_backward", place, true, dx, dy, h, mean, rstd, options);
}

void PreparedNormBackward::run(const Place& place) const {
  state_->rows.run(place);
  if (state_->gradients.count > 0 && state_->gradients.columns > 0) {
    state_->line->launch(place, state_->gradients);
  }
  if (state_->bias.has_value()) {
    state_->bias->run(place);
  }
}

std::size_t PreparedNormBackward::workspace_bytes() const { return state_->workspace_bytes; }

std::string PreparedNormBackward::describe() const { return state_->rows.describe(); }

std::string PreparedNormBackward::choice() const { return state_->rows.choice(); }

void rms_norm_backward(const Place& place, const MutableMatrix& dx, const Matrix& dy,
                       const Matrix& h, const float* rstd, const NormBackwardOptions& options) {
  rms_norm_backward_plan(place, dx, dy, h, rstd, options).run(place);
}

void layer_norm_backward(const Place& place, const MutableMatrix& dx, const Matrix& dy,
                         const Matrix& h, const float* mean, const float* rstd,
                         const NormBackwardOptions& options) {
  layer_norm_backward_plan(place, dx, dy, h, mean, rstd, options).run(place);
}

}  // namespace warpline
