// Kernels that end in an epilogue of steps, on either target: every step, type and layout against
// fp64.
#pragma once

#include <deque>
#include <random>

#include "matmul/line.h"
#include "tests/kernels/matmul_task_case.h"
#include "tests/kernels/placed_matrix.h"
#include "tests/kernels/step_reference.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct StepsShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  int splits = 1;
  float alpha = 1;
  ElementType d_type = ElementType::fp16;
  Placement d = {};
  /// Of what the steps refer to.
  ElementType operand_type = ElementType::fp32;
  Placement operand = {};
  std::vector<EpilogueStep::Kind> steps = {};
  /// Of A and B where the kernel fills by threads.
  Placement a = {};
  Placement b = {};
};

inline std::string to_string(const StepsShape& shape) {
  std::string text = std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
                     std::to_string(shape.k) + ", batch " + std::to_string(shape.batch) + ", " +
                     std::to_string(shape.splits) + " splits, D " + name_of(shape.d_type) + " " +
                     to_string(shape.d) + ", operands " + name_of(shape.operand_type) + " " +
                     to_string(shape.operand) + ", A " + to_string(shape.a) + ", B " +
                     to_string(shape.b) + ", steps";
  for (const EpilogueStep::Kind kind : shape.steps) {
    text += " " + std::to_string(static_cast<int>(kind));
  }
  return text;
}

class StepsCase {
 public:
  StepsCase(const MatmulLine& line, const StepsShape& shape, unsigned seed)
      : line_(line),
        shape_(shape),
        random_(seed),
        a_(line.type, shape.m, shape.k, shape.batch, placement(line.a, shape.a, shape.k, shape.m)),
        b_(line.type, shape.n, shape.k, shape.batch, placement(line.b, shape.b, shape.k, shape.n)),
        d_(shape.d_type, shape.m, shape.n, shape.batch, shape.d) {
    // Sums are exact in fp32, and of moderate size whatever K.
    const auto one = [&] { return static_cast<double>(static_cast<int>(random_() % 5) - 2) / 8; };
    a_.fill(one);
    b_.fill(one);
    for (std::int64_t matrix = 0; matrix < shape.batch; ++matrix) {
      for (std::int64_t m = 0; m < shape.m; ++m) {
        for (std::int64_t n = 0; n < shape.n; ++n) {
          double sum = 0;
          for (std::int64_t k = 0; k < shape.k; ++k) {
            sum += a_.value(matrix, m, k) * b_.value(matrix, n, k);
          }
          sums_.push_back(sum);
        }
      }
    }
    a_.upload();
    b_.upload();
    d_.upload();
    task_ = {.m = shape.m,
             .n = shape.n,
             .k = shape.k,
             .batch = shape.batch,
             .a = {a_.data(), a_.row_stride(), a_.column_stride(), a_.batch_stride()},
             .b = {b_.data(), b_.row_stride(), b_.column_stride(), b_.batch_stride()},
             .d = d_.data(),
             .d_type = shape.d_type,
             .d_row_stride = d_.row_stride(),
             .d_column_stride = d_.column_stride(),
             .d_batch_stride = d_.batch_stride(),
             .alpha = shape.alpha,
             .splits = shape.splits,
             .raster = 4};
    for (const EpilogueStep::Kind kind : shape.steps) {
      task_.step[task_.steps++] = step(kind);
    }
    workspace_.resize(line.workspace_bytes(task_) / sizeof(std::uint32_t) + 1);
    device_workspace_ = std::make_unique<DeviceArray<std::uint32_t>>(workspace_);
    task_.workspace = device_workspace_->data();
    arguments_.resize((line.argument_bytes + sizeof(Line) - 1) / sizeof(Line));
    line.encode(task_, arguments_.data());
  }

  void run(const Place& place) { line_.launch(task_, place, arguments_.data()); }

  /// What is wrong with D, the stored matrices and the maxima: nothing, or what is first.
  std::string error() const {
    const std::string wrong = d_.error([&](std::int64_t matrix, std::int64_t m, std::int64_t n) {
      return after(task_.steps, matrix, m, n);
    });
    if (!wrong.empty()) {
      return "D: " + wrong;
    }
    for (int i = 0; i < task_.steps; ++i) {
      const std::string other = error_of(i);
      if (!other.empty()) {
        return "step " + std::to_string(i) + ": " + other;
      }
    }
    return {};
  }

  /// What D's first matrix has there, and the maximum that step `step` found.
  double found(std::int64_t m, std::int64_t n) const { return d_.found(0, m, n); }
  double amax_found(int step) const {
    return operands_[static_cast<std::size_t>(step)]->found(0, 0, 0);
  }

 private:
  using Kind = EpilogueStep::Kind;

  /// The copy engine asks for 16 bytes.
  Placement placement(Contiguous contiguous, Placement wanted, std::int64_t k,
                      std::int64_t extent) const {
    if (line_.fill == Fill::threads) {
      return wanted;
    }
    const std::int64_t inner = contiguous == Contiguous::k ? k : extent;
    return {.way = contiguous == Contiguous::k ? Placement::Way::rows : Placement::Way::columns,
            .pad = (inner + 7) / 8 * 8 - inner + 8,
            .offset = 0};
  }

  EpilogueStep step(Kind kind) {
    const auto number = [&] { return std::uniform_real_distribution<double>(-2, 2)(random_); };
    EpilogueStep result{.kind = kind, .first = 0.75f, .second = 1.5f};
    std::int64_t rows = shape_.m;
    std::int64_t columns = shape_.n;
    ElementType type = shape_.operand_type;
    switch (kind) {
      case Kind::row_bias:
      case Kind::row_scale:
        columns = 1;
        break;
      case Kind::column_bias:
      case Kind::column_scale:
        rows = 1;
        break;
      case Kind::clamp:
        result.first = -0.5f;
        [[fallthrough]];
      case Kind::scale:
      case Kind::relu:
      case Kind::gelu:
      case Kind::gelu_tanh:
      case Kind::silu:
        operands_.emplace_back();
        return result;
      case Kind::amax:
        rows = 1;
        columns = 1;
        type = ElementType::fp32;
        break;
      case Kind::residual:
      case Kind::store:
        break;
    }
    Placement way = shape_.operand;
    if (rows == 1 && way.way == Placement::Way::columns) {
      way = {.pad = way.pad, .offset = way.offset};
    }
    operands_.push_back(
        std::make_unique<PlacedMatrix>(type, rows, columns, shape_.batch, way, kind == Kind::amax));
    PlacedMatrix& operand = *operands_.back();
    if (kind == Kind::amax) {
      operand.set(0, 0, 0, 0.0);
    } else if (kind != Kind::store) {
      operand.fill(number);
    }
    operand.upload();
    result.type = type;
    result.data = operand.data();
    result.row_stride = columns == 1 ? std::max<std::int64_t>(1, operand.row_stride()) : 0;
    result.column_stride = rows == 1 ? operand.column_stride() : 0;
    if (kind == Kind::residual || kind == Kind::store) {
      result.row_stride = operand.row_stride();
      result.column_stride = operand.column_stride();
    }
    result.batch_stride = operand.batch_stride();
    return result;
  }

  /// The value of an element after some of the steps.
  Bounded after(int steps, std::int64_t matrix, std::int64_t m, std::int64_t n) const {
    const auto at = static_cast<std::size_t>((matrix * shape_.m + m) * shape_.n + n);
    Bounded x = rounded_product({sums_[at], 0}, shape_.alpha);
    for (int i = 0; i < steps; ++i) {
      x = step_of(task_.step[i], x, operand_value(i, matrix, m, n));
    }
    return x;
  }

  double operand_value(int step, std::int64_t matrix, std::int64_t m, std::int64_t n) const {
    const PlacedMatrix* const operand = operands_[static_cast<std::size_t>(step)].get();
    switch (task_.step[step].kind) {
      case Kind::row_bias:
      case Kind::row_scale:
        return operand->value(matrix, m, 0);
      case Kind::column_bias:
      case Kind::column_scale:
        return operand->value(matrix, 0, n);
      case Kind::residual:
        return operand->value(matrix, m, n);
      default:
        return 0;
    }
  }

  std::string error_of(int step) const {
    const auto& operand = operands_[static_cast<std::size_t>(step)];
    if (operand == nullptr) {
      return {};
    }
    if (task_.step[step].kind == Kind::store) {
      return operand->error([&](std::int64_t matrix, std::int64_t m, std::int64_t n) {
        return after(step, matrix, m, n);
      });
    }
    if (task_.step[step].kind == Kind::amax) {
      Bounded largest;
      for (std::int64_t matrix = 0; matrix < shape_.batch; ++matrix) {
        for (std::int64_t m = 0; m < shape_.m; ++m) {
          for (std::int64_t n = 0; n < shape_.n; ++n) {
            const Bounded x = after(step, matrix, m, n);
            largest = {std::max(largest.value, std::abs(x.value)),
                       std::max(largest.margin, x.margin)};
          }
        }
      }
      return operand->error([&](std::int64_t, std::int64_t, std::int64_t) { return largest; });
    }
    // An input: as it was.
    return operand->error([&](std::int64_t matrix, std::int64_t row, std::int64_t column) {
      return Bounded{operand->value(matrix, row, column), 0};
    });
  }

  const MatmulLine& line_;
  StepsShape shape_;
  std::mt19937 random_;
  PlacedMatrix a_;
  PlacedMatrix b_;
  PlacedMatrix d_;
  std::vector<double> sums_;
  std::deque<std::unique_ptr<PlacedMatrix>> operands_;
  MatmulTask task_;
  std::vector<std::uint32_t> workspace_;
  std::unique_ptr<DeviceArray<std::uint32_t>> device_workspace_;
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> arguments_;
};

inline void check_steps(const MatmulLine& line, const StepsShape& wanted, unsigned seed,
                        const Place& place) {
  const StepsShape shape = taken_by(line, wanted);
  INFO(name_of(line.type) << " " << line.name << ": " << to_string(shape) << ", seed " << seed);
  StepsCase problem(line, shape, seed);
  problem.run(place);
  REQUIRE(problem.error() == "");
}

/// Every kind of step, in an order.
inline const std::vector<EpilogueStep::Kind>& every_step() {
  using Kind = EpilogueStep::Kind;
  static const std::vector<Kind> kinds = {
      Kind::row_bias, Kind::column_bias, Kind::row_scale, Kind::column_scale, Kind::residual,
      Kind::scale,    Kind::relu,        Kind::gelu,      Kind::gelu_tanh,    Kind::silu,
      Kind::clamp,    Kind::store,       Kind::amax};
  return kinds;
}

inline Placement random_placement(std::mt19937& random) {
  return {.way = static_cast<Placement::Way>(random() % 3),
          .pad = static_cast<std::int64_t>(random() % 10),
          .offset = static_cast<std::int64_t>(random() % 9)};
}

inline ElementType random_type(std::mt19937& random) {
  return static_cast<ElementType>(random() % 3);
}

/// A problem with up to eight random steps and everything else at random.
inline StepsShape random_steps(std::mt19937& random, std::int64_t largest) {
  const auto up_to = [&](std::int64_t limit) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  StepsShape shape{.m = up_to(largest),
                   .n = up_to(largest),
                   .k = up_to(largest),
                   .batch = random() % 3 == 0 ? up_to(3) : 1,
                   .splits = random() % 3 == 0 ? static_cast<int>(up_to(3)) : 1,
                   .alpha = random() % 2 == 0 ? 0.3f : 1.0f,
                   .d_type = random_type(random),
                   .d = random_placement(random),
                   .operand_type = random_type(random),
                   .operand = random_placement(random),
                   .a = random_placement(random),
                   .b = random_placement(random)};
  for (auto steps = random() % (max_epilogue_steps + 1); steps > 0; --steps) {
    shape.steps.push_back(every_step()[random() % every_step().size()]);
  }
  return shape;
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
