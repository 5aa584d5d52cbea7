#include "matmul/matmul.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "matmul/call.h"
#include "matmul/choice.h"
#include "matmul/fit.h"
#include "matmul/target.h"
#include "matmul/workspace.h"
#include "warpline/error.h"

namespace warpline {

namespace {

/// One launch: a task of one kernel, encoded.
struct Launch {
  MatmulTask task;
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> arguments;
};

Launch encoded(const MatmulLine& line, const MatmulTask& task) {
  Launch launch{.task = task};
  launch.arguments.resize((line.argument_bytes + sizeof(Launch::Line) - 1) / sizeof(Launch::Line));
  line.encode(launch.task, launch.arguments.data());
  return launch;
}

MatmulTask task_of(const MatmulCall& call, const MatmulChoice& choice,
                   const MatmulOptions& options) {
  MatmulTask task = fit(*choice.line, call, address_bits(call), choice.exchanged).task;
  task.splits = choice.splits;
  task.any_order = choice.any_order;
  task.raster = choice.raster;
  task.max_ctas = options.max_ctas;
  task.dependent_launch = options.dependent_launch;
  return task;
}

/// With K = 0, A * B is zeros: K = 1 of operands whose one element is.
constexpr std::size_t zero_bytes = 256;

void multiply_zeros(MatmulCall& call, const void* zeros) {
  call.k = 1;
  call.a = Matrix(zeros, call.a.type, call.m, 1, 0);
  call.b = Matrix(zeros, call.b.type, 1, call.n, 1, 0);
}

}  // namespace

struct PreparedMatmul::State {
  const MatmulTarget* target = nullptr;
  bool on_gpu = false;
  int device = 0;
  const MatmulLine* line = nullptr;
  std::vector<Launch> launches;
  std::string choice = "nothing to do";
  std::size_t workspace_bytes = 0;
  Workspace workspace;
};

namespace {

using State = PreparedMatmul::State;

/// `at` is where the only run will be, if there is but one.
std::shared_ptr<const State> prepared(const Place& place, const MutableMatrix& d, const Matrix& a,
                                      const Matrix& b, const MatmulOptions& options,
                                      const Place* at) {
  auto state = std::make_shared<State>();
  state->target = &matmul_target(place);
  state->on_gpu = place.on_gpu();
  state->device = state->target->device_of(place);
  MatmulCall call = checked_call(*state->target, state->device, d, a, b, options);
  if (call.empty()) {
    return state;
  }
  std::size_t own_bytes = 0;
  if (call.k == 0) {
    // The address is only a multiple of what kernels ask for until there is one.
    multiply_zeros(call, reinterpret_cast<const void*>(zero_bytes));
    own_bytes = zero_bytes;
  }
  const MatmulChoice choice =
      choose_kernel(state->target->lines(), call, options, state->target->multiprocessors());
  state->line = choice.line;
  state->choice = choice.reason;

  state->workspace_bytes = choice.line->workspace_bytes(
      task_of(call.one_by_one ? problem_of(call, 0) : call, choice, options));
  void* workspace = options.workspace;
  if (workspace != nullptr) {
    check_workspace(*state->target, state->device, options, state->workspace_bytes);
  } else {
    own_bytes += state->workspace_bytes;
  }
  if (own_bytes > 0) {
    state->workspace = Workspace(*state->target, own_bytes, at);
    auto* own = static_cast<unsigned char*>(state->workspace.data());
    if (call.k == 1 && a.columns == 0) {
      multiply_zeros(call, own);
      own += zero_bytes;
    }
    if (workspace == nullptr) {
      workspace = own;
    }
  }
  for (std::int64_t problem = 0; problem < (call.one_by_one ? call.problems : 1); ++problem) {
    MatmulTask task = task_of(call.one_by_one ? problem_of(call, problem) : call, choice, options);
    task.workspace = state->workspace_bytes > 0 ? workspace : nullptr;
    state->launches.push_back(encoded(*choice.line, task));
  }
  return state;
}

}  // namespace

void PreparedMatmul::run(const Place& place) const {
  const State& state = *state_;
  if (place.on_gpu() != state.on_gpu) {
    throw Error(std::string("the plan was made for the ") + (state.on_gpu ? "GPU" : "simulator") +
                ", not for the " + (place.on_gpu() ? "GPU" : "simulator"));
  }
  if (state.launches.empty()) {
    return;
  }
  const int device = state.target->queueing_device(place);
  if (device != state.device) {
    throw Error("stream: it is of GPU " + std::to_string(device) + ", the plan was made for GPU " +
                std::to_string(state.device));
  }
  for (const Launch& launch : state.launches) {
    state.line->launch(launch.task, place, launch.arguments.data());
  }
}

std::string PreparedMatmul::choice() const { return state_->choice; }

std::size_t PreparedMatmul::workspace_bytes() const { return state_->workspace_bytes; }

PreparedMatmul matmul_plan(const Place& place, const MutableMatrix& d, const Matrix& a,
                           const Matrix& b, const MatmulOptions& options) {
  return PreparedMatmul(prepared(place, d, a, b, options, nullptr));
}

void matmul(const Place& place, const MutableMatrix& d, const Matrix& a, const Matrix& b,
            const MatmulOptions& options) {
  PreparedMatmul(prepared(place, d, a, b, options, &place)).run(place);
}

std::vector<std::string> matmul_kernel_names() {
  std::vector<std::string> names;
  for (const MatmulTarget* target : linked_matmul_targets()) {
    for (const MatmulLine& line : target->lines()) {
      if (std::find(names.begin(), names.end(), line.name) == names.end()) {
        names.emplace_back(line.name);
      }
    }
  }
  return names;
}

}  // namespace warpline
