#include "matmul/call.h"

#include <string>

#include "matmul/call_memory.h"
#include "warpline/error.h"

namespace warpline {

namespace {

using Kind = EpilogueStep::Kind;

[[noreturn]] void refuse(const std::string& what) { throw Error(what); }

std::string number(std::int64_t value) { return std::to_string(value); }

bool known(ElementType type) {
  return type == ElementType::fp16 || type == ElementType::bf16 || type == ElementType::fp32;
}

void check_options(const MatmulOptions& options) {
  const auto not_negative = [](const char* name, std::int64_t value) {
    if (value < 0) {
      refuse(std::string(name) + " is " + number(value) + "; 0 or more is possible");
    }
  };
  not_negative("batch", options.batch);
  not_negative("splits", options.splits);
  not_negative("raster", options.raster);
  not_negative("max_ctas", options.max_ctas);
  if (options.batch > largest_extent) {
    refuse("batch is " + number(options.batch) + "; " + number(largest_extent) + " are possible");
  }
}

void check_types(const MutableMatrix& d, const Matrix& a, const Matrix& b) {
  for (const auto& [name, type] : {std::pair("A", a.type), std::pair("B", b.type)}) {
    if (!known(type)) {
      refuse(std::string(name) + ": it has no type of elements that there is");
    }
    if (type == ElementType::fp32) {
      refuse(std::string(name) + ": its elements are fp32; A and B are fp16 or bf16");
    }
  }
  if (a.type != b.type) {
    refuse(std::string("B: its elements are ") + name_of(b.type) + ", those of A are " +
           name_of(a.type) + "; they must be of one type");
  }
  if (!known(d.type)) {
    refuse("D: it has no type of elements that there is");
  }
}

template <class M>
void check_shape(const char* name, const M& matrix) {
  const auto check = [&](const char* what, std::int64_t value, std::int64_t most) {
    if (value < 0 || value > most) {
      refuse(std::string(name) + ": it has " + number(value) + " " + what + "; 0 to " +
             number(most) + " are possible");
    }
  };
  check("rows", matrix.rows, largest_extent);
  check("columns", matrix.columns, largest_extent);
  const auto check_stride = [&](const char* what, std::int64_t value) {
    if (value < 0) {
      refuse(std::string(name) + ": its " + what + " stride is " + number(value) +
             "; strides are 0 or more");
    }
  };
  check_stride("row", matrix.row_stride);
  check_stride("column", matrix.column_stride);
  check_stride("batch", matrix.batch_stride);
}

void check_layout(const char* name, const Matrix& matrix) {
  if (matrix.row_stride != 1 && matrix.column_stride != 1 && matrix.rows > 1 &&
      matrix.columns > 1) {
    refuse(std::string(name) + ": its row stride is " + number(matrix.row_stride) +
           " and its column stride " + number(matrix.column_stride) +
           "; one of them must be 1 (row-major or column-major)");
  }
}

void check_extents(const MutableMatrix& d, const Matrix& a, const Matrix& b) {
  const auto agree = [](const std::string& name, std::int64_t value, const std::string& other,
                        std::int64_t expected, const std::string& extent) {
    if (value != expected) {
      refuse(name + number(value) + ", but " + other + number(expected) + "; both are " + extent);
    }
  };
  agree("B: its rows are ", b.rows, "A's columns are ", a.columns, "K");
  agree("D: its rows are ", d.rows, "A's are ", a.rows, "M");
  agree("D: its columns are ", d.columns, "B's are ", b.columns, "N");
}

bool has_vector(Kind kind) {
  return kind == Kind::row_bias || kind == Kind::column_bias || kind == Kind::row_scale ||
         kind == Kind::column_scale;
}

bool has_memory(Kind kind) {
  return has_vector(kind) || kind == Kind::residual || kind == Kind::store || kind == Kind::amax;
}

void check_step(const std::string& name, const EpilogueStep& step) {
  if (step.kind < Kind::row_bias || step.kind > Kind::amax) {
    refuse(name + ": there is no such step");
  }
  if (step.kind == Kind::clamp && !(step.first <= step.second)) {
    refuse(name + ": it clamps to " + std::to_string(step.first) + " .. " +
           std::to_string(step.second) + "; the first must not be above the second");
  }
  if (!has_memory(step.kind)) {
    return;
  }
  if (step.data == nullptr) {
    refuse(name + ": its address is null");
  }
  if (!known(step.type) || (step.kind == Kind::amax && step.type != ElementType::fp32)) {
    refuse(name + ": its elements must be " +
           (step.kind == Kind::amax ? "fp32" : "fp16, bf16 or fp32"));
  }
  if (step.row_stride < 0 || step.column_stride < 0 || step.batch_stride < 0) {
    refuse(name + ": its strides are " + number(step.row_stride) + ", " +
           number(step.column_stride) + " and " + number(step.batch_stride) +
           "; strides are 0 or more");
  }
}

void add_step(MatmulCall& call, const EpilogueStep& step) {
  if (call.steps == max_epilogue_steps) {
    refuse("epilogue: it has more than " + number(max_epilogue_steps) +
           " steps, beta * C counted as one");
  }
  call.step[call.steps++] = step;
}

void add_c(MatmulCall& call, const MatmulOptions& options) {
  if (options.beta == 0) {
    return;
  }
  const Matrix& c = options.c;
  if (!known(c.type)) {
    refuse("C: it has no type of elements that there is");
  }
  check_shape("C", c);
  if (c.rows != call.m || c.columns != call.n) {
    refuse("C: it is " + number(c.rows) + " x " + number(c.columns) + ", but D is " +
           number(call.m) + " x " + number(call.n) + "; they must agree (beta is " +
           std::to_string(options.beta) + ")");
  }
  EpilogueStep step = epilogue::residual(c, options.beta);
  if (c.addresses != nullptr) {
    call.c_addresses = c.addresses;
    step.data = const_cast<void*>(call.problems > 0 ? c.addresses[0] : nullptr);
    step.batch_stride = 0;
  }
  add_step(call, step);
}

}  // namespace

MatmulCall checked_call(const MatmulTarget& target, int device, const MutableMatrix& d,
                        const Matrix& a, const Matrix& b, const MatmulOptions& options) {
  check_options(options);
  check_types(d, a, b);
  check_shape("A", a);
  check_shape("B", b);
  check_shape("D", d);
  check_layout("A", a);
  check_layout("B", b);
  check_extents(d, a, b);
  MatmulCall call{.m = d.rows,
                  .n = d.columns,
                  .k = a.columns,
                  .problems = options.batch,
                  .batch = options.batch,
                  .a = a,
                  .b = b,
                  .d = d,
                  .alpha = options.alpha};
  add_c(call, options);
  const bool with_c = call.steps > 0;
  for (std::size_t i = 0; i < options.epilogue.size(); ++i) {
    check_step(step_name(static_cast<int>(i), options.epilogue[i]), options.epilogue[i]);
    add_step(call, options.epilogue[i]);
  }
  if (a.addresses != nullptr || b.addresses != nullptr || d.addresses != nullptr ||
      call.c_addresses != nullptr) {
    call.one_by_one = true;
    call.batch = 1;
  }
  if (!call.empty()) {
    check_memory(target, device, call, with_c);
  }
  return call;
}

MatmulCall problem_of(const MatmulCall& call, std::int64_t index) {
  MatmulCall result = call;
  const auto move = [&](auto& matrix) {
    using Pointer = decltype(matrix.data);
    using Bytes =
        std::conditional_t<std::is_same_v<Pointer, void*>, unsigned char*, const unsigned char*>;
    if (matrix.addresses != nullptr) {
      matrix.data = matrix.addresses[index];
    } else if (matrix.data != nullptr) {
      matrix.data =
          static_cast<Bytes>(matrix.data) + index * matrix.batch_stride * bytes_of(matrix.type);
    }
    matrix.addresses = nullptr;
    matrix.batch_stride = 0;
  };
  move(result.a);
  move(result.b);
  move(result.d);
  for (int i = 0; i < result.steps; ++i) {
    EpilogueStep& step = result.step[i];
    if (i == 0 && result.c_addresses != nullptr) {
      step.data = const_cast<void*>(result.c_addresses[index]);
    } else if (step.data != nullptr) {
      step.data =
          static_cast<unsigned char*>(step.data) + index * step.batch_stride * bytes_of(step.type);
    }
    step.batch_stride = 0;
  }
  result.c_addresses = nullptr;
  result.problems = 1;
  result.batch = 1;
  result.one_by_one = false;
  return result;
}

}  // namespace warpline
