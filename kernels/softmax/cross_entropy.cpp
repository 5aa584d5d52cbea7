#include "softmax/cross_entropy.h"

#include <cmath>

#include "rows/tables.h"
#include "softmax/softmax_arguments.h"
#include "softmax/softmax_backward_arguments.h"
#include "softmax/softmax_lines.h"

extern "C" {
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_softmax_gpu_lines();
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_softmax_simulator_lines();
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_softmax_backward_gpu_lines();
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_softmax_backward_simulator_lines();
}

namespace warpline {

namespace {

constexpr float log2_e = 1.4426950408889634f;

void check_options(const char* call, const Matrix& logits, const CrossEntropyOptions& options) {
  if (std::isnan(options.scale)) {
    throw Error(std::string(call) + ": scale is NaN");
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw Error(std::string(call) + ": label_smoothing is " +
                std::to_string(options.label_smoothing) + "; it is 0 to 1");
  }
  if (logits.rows > 0 && logits.columns == 0) {
    throw Error(std::string(call) + ": logits has no columns: there is no class");
  }
}

rows::Operand targets_of(const Targets& targets, std::int64_t count) {
  const int words = targets.wide ? 2 : 1;
  return {.name = "targets",
          .matrix = Matrix(targets.data, ElementType::int32, count, words, words),
          .per_row = true};
}

rows::Operand floats(const char* name, const float* data, std::int64_t count,
                     bool written = false) {
  return {.name = name,
          .matrix = Matrix(data, ElementType::fp32, count, 1, 1),
          .written = written,
          .per_row = true};
}

TypedRows typed(const Matrix& matrix) {
  return {const_cast<void*>(matrix.data), matrix.row_stride, matrix.type};
}

}  // namespace

PreparedRows cross_entropy_plan(const Place& place, float* loss, float* lse, const Matrix& logits,
                                const Targets& targets, const CrossEntropyOptions& options) {
  check_options("cross_entropy", logits, options);
  std::vector<rows::Operand> operands = {{.name = "logits", .matrix = logits, .streamed = true},
                                         floats("loss", loss, logits.rows, true),
                                         targets_of(targets, logits.rows)};
  if (lse != nullptr) {
    operands.push_back(floats("lse", lse, logits.rows, true));
  }
  const SoftmaxArguments arguments{.scale = options.scale * log2_e,
                                   .logarithm = true,
                                   .loss = loss,
                                   .lse = lse,
                                   .logits = typed(logits),
                                   .columns = logits.columns,
                                   .targets = targets,
                                   .ignore_index = options.ignore_index,
                                   .smoothing = options.label_smoothing};
  const auto& table = rows::table_of(place, warpline_softmax_gpu_lines,
                                     warpline_softmax_simulator_lines, "softmax");
  return rows::prepare(place, table, "cross_entropy", operands, &arguments);
}

PreparedRows cross_entropy_backward_plan(const Place& place, const MutableMatrix& dlogits,
                                         const Matrix& logits, const Targets& targets,
                                         const float* lse, const float* dloss,
                                         const CrossEntropyOptions& options) {
  check_options("cross_entropy_backward", logits, options);
  std::vector<rows::Operand> operands = {{.name = "logits", .matrix = logits, .streamed = true},
                                         {.name = "dlogits", .matrix = dlogits, .written = true},
                                         targets_of(targets, logits.rows),
                                         floats("lse", lse, logits.rows)};
  if (dloss != nullptr) {
    operands.push_back(floats("dloss", dloss, logits.rows));
  }
  const float uniform = options.label_smoothing / static_cast<float>(logits.columns);
  const SoftmaxBackwardArguments arguments{.dx = {dlogits.data, dlogits.row_stride, dlogits.type},
                                           .bf16 = logits.type == ElementType::bf16,
                                           .scale = options.scale,
                                           .exponent_scale = options.scale * log2_e,
                                           .lse = lse,
                                           .dloss = dloss,
                                           .targets = targets,
                                           .ignore_index = options.ignore_index,
                                           .columns = logits.columns,
                                           .uniform = uniform,
                                           .at_target = 1 - options.label_smoothing + uniform};
  const auto& table = rows::table_of(place, warpline_softmax_backward_gpu_lines,
                                     warpline_softmax_backward_simulator_lines, "softmax");
  return rows::prepare(place, table, "cross_entropy_backward", operands, &arguments);
}

void cross_entropy(const Place& place, float* loss, float* lse, const Matrix& logits,
                   const Targets& targets, const CrossEntropyOptions& options) {
  cross_entropy_plan(place, loss, lse, logits, targets, options).run(place);
}

void cross_entropy_backward(const Place& place, const MutableMatrix& dlogits, const Matrix& logits,
                            const Targets& targets, const float* lse, const float* dloss,
                            const CrossEntropyOptions& options) {
  cross_entropy_backward_plan(place, dlogits, logits, targets, lse, dloss, options).run(place);
}

}  // namespace warpline
