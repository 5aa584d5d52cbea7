#include "normalization/norm_backward.h"

#include <optional>

#include "normalization/norm_backward_arguments.h"
#include "normalization/norm_backward_operands.h"
#include "normalization/norm_lines.h"
#include "reduction/reduce.h"
#include "reduction/reduce_line.h"
#include "reduction/workspace_pieces.h"
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

struct Problem {
  const char* call;
  const Place& place;
  std::vector<rows::Operand> operands;
  NormBackwardArguments arguments;
  Matrix dy;
  const NormBackwardOptions& options;
};

void add_workspace(const Problem& problem, PreparedNormBackward::State& state,
                   WorkspacePieces& pieces) {
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
    norm_backward::refuse(problem.call,
                          "workspace has " + std::to_string(problem.options.workspace_bytes) +
                              " bytes; " + std::to_string(state.workspace_bytes) + " are needed");
  } else if (reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0) {
    norm_backward::refuse(problem.call, "workspace: its address is no multiple of 16");
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
  WorkspacePieces pieces;
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
                  .operands = norm_backward::operands_of(call, dx, dy, h, options),
                  .arguments = {.dx = norm_backward::typed(dx),
                                .rstd = rstd,
                                .mean = mean,
                                .of_one = 1 / static_cast<float>(h.columns),
                                .layer = layer},
                  .dy = dy,
                  .options = options};
  if (options.weight.data != nullptr) {
    problem.arguments.weight = norm_backward::typed(options.weight);
  }
  problem.operands.push_back(norm_backward::of_rows("rstd", rstd, h.rows));
  if (layer) {
    problem.operands.push_back(norm_backward::of_rows("mean", mean, h.rows));
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
