#include "rows/plan.h"

#include <algorithm>

#include "rows/checks.h"
#include "warpline/error.h"

namespace warpline {

struct PreparedRows::State {
  const RowLine* line = nullptr;  ///< null: nothing to do
  bool on_gpu = false;
  unsigned ctas = 0;
  struct alignas(64) Block {
    unsigned char bytes[64];
  };
  std::vector<Block> arguments;
};

void PreparedRows::run(const Place& place) const {
  if (place.on_gpu() != state_->on_gpu) {
    throw Error(std::string("this plan was made for the ") +
                (state_->on_gpu ? "GPU" : "simulator") + ": it cannot run on the " +
                (place.on_gpu() ? "GPU" : "simulator"));
  }
  if (state_->line != nullptr) {
    state_->line->launch(place, state_->ctas, state_->arguments.data());
  }
}

const RowLine* PreparedRows::line() const { return state_->line; }

unsigned PreparedRows::groups() const {
  return state_->line == nullptr ? 0 : state_->ctas / static_cast<unsigned>(state_->line->cluster);
}

std::string PreparedRows::describe() const {
  return state_->line == nullptr ? std::string() : state_->line->describe();
}

std::string PreparedRows::choice() const {
  if (state_->line == nullptr) {
    return "nothing to do";
  }
  const RowLine& line = *state_->line;
  return std::string(line.name) + ", " + name_of(line.type) + ", rows of up to " +
         std::to_string(line.capacity) + ", " +
         (line.vector == 1 ? std::string("single elements")
                           : std::to_string(line.vector) + " elements an access") +
         ", " + (line.aligned ? "aligned rows of one type" : "rows anywhere") + ", cluster " +
         std::to_string(line.cluster) + ", " + std::to_string(state_->ctas) + " CTAs";
}

namespace rows {

namespace {

const RowLine& choose(const std::vector<RowLine>& table, const char* call,
                      const std::vector<Operand>& operands, int inputs, bool one_type,
                      const void* op) {
  const Matrix& x = operands.front().matrix;
  const bool aligned = one_type && fall_on_accesses(operands);
  int longest = 0;
  for (const RowLine& line : table) {
    if (line.type != x.type || line.inputs < inputs || (line.aligned && !aligned) ||
        (line.serves != nullptr && !line.serves(op))) {
      continue;
    }
    longest = std::max(longest, line.capacity);
    if (line.capacity >= x.columns) {
      return line;
    }
  }
  throw Error(std::string(call) + ": " + operands.front().name + " has rows of " +
              std::to_string(x.columns) + " elements; 1 to " + std::to_string(longest) +
              " are possible");
}

}  // namespace

PreparedRows prepare(const Place& place, const std::vector<RowLine>& table, const char* call,
                     const std::vector<Operand>& operands, const void* op) {
  auto state = std::make_shared<PreparedRows::State>();
  state->on_gpu = place.on_gpu();
  check(call, operands);
  const Matrix& x = operands.front().matrix;
  if (x.rows == 0 || x.columns == 0) {
    return PreparedRows(state);
  }
  RowTask task{.type = x.type, .rows = x.rows, .columns = x.columns, .one_type = true};
  for (const Operand& operand : operands) {
    const Matrix& m = operand.matrix;
    task.memory.push_back({m.data, operand.name});
    task.one_type = task.one_type && (operand.per_row || m.type == x.type ||
                                      (operand.broadcast && m.type == ElementType::fp32));
    if (operand.streamed) {
      task.in[task.inputs] = m.data;
      task.stride[task.inputs] = m.row_stride;
      ++task.inputs;
    }
  }
  const RowLine& line = choose(table, call, operands, task.inputs, task.one_type, op);
  task.aligned = fall_on_accesses(operands);
  check_overlaps(call, operands, task.aligned);
  state->line = &line;
  state->arguments.resize((line.argument_bytes + sizeof(PreparedRows::State::Block) - 1) /
                          sizeof(PreparedRows::State::Block));
  state->ctas = line.encode(task, op, state->arguments.data());
  return PreparedRows(state);
}

}  // namespace rows

}  // namespace warpline
