#include "matmul/fit.h"

#include <algorithm>
#include <utility>

namespace warpline {

namespace {

using Kind = EpilogueStep::Kind;

/// The copy engine's unit, in 16-bit elements (CUDA driver API, cuTensorMapEncodeTiled).
constexpr std::int64_t unit = 8;
constexpr std::int64_t longest_stride = (std::int64_t{1} << 40) / 2;

std::int64_t in_units(std::int64_t elements) { return (elements + unit - 1) / unit * unit; }

std::string number(std::int64_t value) { return std::to_string(value); }

/// A matrix as the copy engine sees it: `inner` contiguous elements, `outer` times.
struct Copied {
  const char* name;
  const char* inner_name;
  unsigned address_bits;
  std::int64_t inner;
  std::int64_t inner_stride;
  std::int64_t outer;
  std::int64_t outer_stride;
  std::int64_t batch;
  std::int64_t batch_stride;
};

/// Elements of a dimension may not lie among those of one with a shorter stride.
bool steps_over(std::int64_t inner, std::int64_t extent_a, std::int64_t stride_a,
                std::int64_t extent_b, std::int64_t stride_b) {
  if (stride_a > stride_b) {
    std::swap(extent_a, extent_b);
    std::swap(stride_a, stride_b);
  }
  return stride_a >= inner && stride_b >= stride_a * extent_a;
}

struct Obstacle {
  std::string text;
  /// Another layout would do: another kernel may be nearer.
  bool is_layout = false;
};

/// Chooses strides that do not matter; says what the copy engine cannot do.
Obstacle obstacle_to_copies(Copied& matrix) {
  const std::string name = matrix.name;
  if (matrix.inner == 1) {
    matrix.inner_stride = 1;
  }
  if (matrix.outer == 1) {
    matrix.outer_stride = in_units(matrix.inner);
  }
  if (matrix.inner_stride != 1) {
    return {name + ": the kernel needs a contiguous " + matrix.inner_name + ", its stride is " +
                number(matrix.inner_stride),
            true};
  }
  if (matrix.address_bits % 16 != 0) {
    return {name + ": its address is " + number(matrix.address_bits % 16) +
            " bytes past a multiple of 16; the copy engine needs 16-byte alignment"};
  }
  const auto stride_obstacle = [&](const char* what, std::int64_t stride) {
    if (stride % unit != 0) {
      return name + ": its " + what + " stride is " + number(stride) +
             " elements; the copy engine needs a multiple of " + number(unit);
    }
    if (stride >= longest_stride) {
      return name + ": its " + what + " stride is " + number(stride) +
             " elements; the copy engine takes less than 2^39";
    }
    return std::string();
  };
  std::string found = stride_obstacle("leading", matrix.outer_stride);
  const bool batched = matrix.batch > 1 && matrix.batch_stride != 0;
  if (found.empty() && batched) {
    found = stride_obstacle("batch", matrix.batch_stride);
  }
  if (found.empty() && !(batched ? steps_over(matrix.inner, matrix.outer, matrix.outer_stride,
                                              matrix.batch, matrix.batch_stride)
                                 : matrix.outer_stride >= matrix.inner)) {
    found = name + ": its elements overlap, which the copy engine's maps do not";
  }
  return {std::move(found)};
}

EpilogueStep exchange(EpilogueStep step) {
  std::swap(step.row_stride, step.column_stride);
  switch (step.kind) {
    case Kind::row_bias:
      step.kind = Kind::column_bias;
      break;
    case Kind::column_bias:
      step.kind = Kind::row_bias;
      break;
    case Kind::row_scale:
      step.kind = Kind::column_scale;
      break;
    case Kind::column_scale:
      step.kind = Kind::row_scale;
      break;
    default:
      break;
  }
  return step;
}

MatmulTask task_of(const MatmulCall& call, bool exchanged) {
  MatmulTask task{.m = call.m,
                  .n = call.n,
                  .k = call.k,
                  .batch = call.batch,
                  .a = {call.a.data, call.a.row_stride, call.a.column_stride, call.a.batch_stride},
                  .b = {call.b.data, call.b.column_stride, call.b.row_stride, call.b.batch_stride},
                  .d = call.d.data,
                  .d_type = call.d.type,
                  .d_row_stride = call.d.row_stride,
                  .d_column_stride = call.d.column_stride,
                  .d_batch_stride = call.d.batch_stride,
                  .alpha = call.alpha,
                  .steps = call.steps};
  std::copy(call.step, call.step + call.steps, task.step);
  if (call.batch == 1) {
    // Whatever it was: there is no other matrix.
    task.a.batch_stride = task.b.batch_stride = task.d_batch_stride = 0;
  }
  if (exchanged) {
    std::swap(task.m, task.n);
    std::swap(task.a, task.b);
    std::swap(task.d_row_stride, task.d_column_stride);
    std::transform(task.step, task.step + task.steps, task.step, exchange);
  }
  return task;
}

Obstacle fit_operand(const char* name, const char* mn_name, unsigned bits, Contiguous contiguous,
                     std::int64_t extent, const MatmulTask& task, MatmulTask::Operand& operand) {
  const bool k_inside = contiguous == Contiguous::k;
  Copied copied{name,
                k_inside ? "K" : mn_name,
                bits,
                k_inside ? task.k : extent,
                k_inside ? operand.k_stride : operand.mn_stride,
                k_inside ? extent : task.k,
                k_inside ? operand.mn_stride : operand.k_stride,
                task.batch,
                operand.batch_stride};
  Obstacle obstacle = obstacle_to_copies(copied);
  operand.k_stride = k_inside ? copied.inner_stride : copied.outer_stride;
  operand.mn_stride = k_inside ? copied.outer_stride : copied.inner_stride;
  return obstacle;
}

Obstacle fit_result(const MatmulLine& line, unsigned bits, bool exchanged, MatmulTask& task) {
  if (task.steps > 0) {
    return {"it has no epilogue, and the call has beta or steps"};
  }
  if (task.d_type != line.type) {
    return {std::string("D: it stores ") + name_of(line.type) + ", not " + name_of(task.d_type)};
  }
  const bool m_inside = line.leave == Leave::copies_transposed;
  Copied copied{"D",
                m_inside != exchanged ? "M" : "N",
                bits,
                m_inside ? task.m : task.n,
                m_inside ? task.d_row_stride : task.d_column_stride,
                m_inside ? task.n : task.m,
                m_inside ? task.d_column_stride : task.d_row_stride,
                task.batch,
                task.d_batch_stride};
  Obstacle obstacle = obstacle_to_copies(copied);
  if (obstacle.text.empty() && copied.inner % unit != 0) {
    obstacle.text = std::string("D: its ") + copied.inner_name + " is " + number(copied.inner) +
                    "; the copy engine stores rows of a multiple of " + number(unit) + " elements";
  }
  task.d_row_stride = m_inside ? copied.inner_stride : copied.outer_stride;
  task.d_column_stride = m_inside ? copied.outer_stride : copied.inner_stride;
  return obstacle;
}

}  // namespace

AddressBits address_bits(const MatmulCall& call) {
  AddressBits bits;
  const auto low = [](const void* address) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % 16);
  };
  const auto of = [&](const auto& matrix) {
    if (matrix.addresses == nullptr && !call.one_by_one) {
      return low(matrix.data);
    }
    unsigned all = 0;
    for (std::int64_t i = 0; i < call.problems; ++i) {
      all |= matrix.addresses != nullptr ? low(matrix.addresses[i])
                                         : low(static_cast<const unsigned char*>(matrix.data) +
                                               i * matrix.batch_stride * bytes_of(matrix.type));
    }
    return all;
  };
  return {of(call.a), of(call.b), of(call.d)};
}

Fit fit(const MatmulLine& line, const MatmulCall& call, const AddressBits& bits, bool exchanged) {
  Fit result{.exchanged = exchanged, .task = task_of(call, exchanged)};
  MatmulTask& task = result.task;
  const auto passes = [&](Obstacle obstacle) {
    result.obstacle = std::move(obstacle.text);
    result.passed += result.obstacle.empty() ? 2 : obstacle.is_layout ? 0 : 1;
    return result.obstacle.empty();
  };
  if (line.type != call.a.type) {
    result.obstacle =
        std::string("it multiplies ") + name_of(line.type) + ", not " + name_of(call.a.type);
    result.passed = -1;
    return result;
  }
  if (line.fill == Fill::copies) {
    const char* const names[] = {"A", "B"};
    const char* const extents[] = {"M", "N"};
    const unsigned address[] = {bits.a, bits.b};
    const int first = exchanged ? 1 : 0;
    const int second = exchanged ? 0 : 1;
    if (!passes(fit_operand(names[first], extents[first], address[first], line.a, task.m, task,
                            task.a)) ||
        !passes(fit_operand(names[second], extents[second], address[second], line.b, task.n, task,
                            task.b))) {
      return result;
    }
  }
  if (line.leave != Leave::threads) {
    passes(fit_result(line, bits.d, exchanged, task));
  }
  if (result.obstacle.empty() && line.obstacle != nullptr) {
    passes({line.obstacle(task)});
  }
  return result;
}

}  // namespace warpline
