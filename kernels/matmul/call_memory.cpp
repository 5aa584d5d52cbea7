#include "matmul/call_memory.h"

#include "matmul/region.h"
#include "warpline/error.h"

namespace warpline {

namespace {

using Kind = EpilogueStep::Kind;

void check_address(const MatmulTarget& target, int device, const Region& region) {
  const std::string name =
      region.problem < 0
          ? region.name
          : region.name + ": address " + std::to_string(region.problem) + " of the batch";
  if (region.data == nullptr) {
    throw Error(region.problem < 0 ? name + ": its address is null" : name + " is null");
  }
  const auto past = reinterpret_cast<std::uintptr_t>(region.data) %
                    static_cast<std::uintptr_t>(region.element_bytes);
  if (past != 0) {
    throw Error(name + (region.problem < 0 ? ": its address is " : " is ") + std::to_string(past) +
                " bytes past a multiple of " + std::to_string(region.element_bytes) +
                ", its elements' size");
  }
  target.require_memory(device, region.data, name);
  check_span(region);
}

Region region(const std::string& name, const void* data, ElementType type, std::int64_t rows,
              std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride,
              std::int64_t matrices, std::int64_t batch_stride) {
  Region result{.name = name, .data = data, .element_bytes = bytes_of(type)};
  const Region::Dimension dimensions[] = {
      {rows, row_stride}, {columns, column_stride}, {matrices, batch_stride}};
  for (int i = 0; i < 3; ++i) {
    // The stride of a single index may be anything.
    if (dimensions[i].extent > 1) {
      result.dimension[i] = dimensions[i];
    }
  }
  return result;
}

/// The regions of some problems of a call.
class Regions {
 public:
  Regions(const MatmulCall& call, bool with_c, std::int64_t problem) {
    const std::int64_t batch = call.batch;
    const auto operand = [&](const char* name, const auto& matrix) {
      Region result = region(name, matrix.data, matrix.type, matrix.rows, matrix.columns,
                             matrix.row_stride, matrix.column_stride, batch, matrix.batch_stride);
      result.problem = problem;
      return result;
    };
    if (call.k > 0) {
      inputs.push_back(operand("A", call.a));
      inputs.push_back(operand("B", call.b));
    }
    outputs.push_back(operand("D", call.d));
    for (int i = 0; i < call.steps; ++i) {
      const EpilogueStep& step = call.step[i];
      const bool is_c = with_c && i == 0;
      const bool matrix = step.kind == Kind::residual || step.kind == Kind::store;
      if (step.data == nullptr && !is_c) {
        continue;
      }
      Region found = region(is_c ? "C" : step_name(i - (with_c ? 1 : 0), step), step.data,
                            step.type, matrix || step.row_stride > 0 ? call.m : 1,
                            matrix || step.column_stride > 0 ? call.n : 1, step.row_stride,
                            step.column_stride, batch, step.batch_stride);
      found.problem = problem;
      found.read_in_place = step.kind == Kind::residual && step.type == call.d.type;
      (step.kind == Kind::store  ? outputs
       : step.kind == Kind::amax ? sums
                                 : inputs)
          .push_back(found);
    }
  }

  std::vector<Region> outputs;
  std::vector<Region> inputs;
  /// Written by atomics: the problems of a batch may share them.
  std::vector<Region> sums;
};

void append(std::vector<Region>& to, const std::vector<Region>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::string step_name(int index, const EpilogueStep& step) {
  constexpr const char* names[] = {
      "row_bias", "column_bias", "row_scale", "column_scale", "residual", "scale", "relu",
      "gelu",     "gelu_tanh",   "silu",      "clamp",        "store",    "amax"};
  const auto kind = static_cast<std::size_t>(step.kind);
  return "epilogue step " + std::to_string(index) +
         (kind < std::size(names) ? std::string(" (") + names[kind] + ")" : std::string());
}

void check_memory(const MatmulTarget& target, int device, const MatmulCall& call, bool with_c) {
  std::vector<Region> outputs;
  std::vector<Region> inputs;
  for (std::int64_t problem = 0; problem < (call.one_by_one ? call.problems : 1); ++problem) {
    const Regions regions = call.one_by_one ? Regions(problem_of(call, problem), with_c, problem)
                                            : Regions(call, with_c, -1);
    for (const std::vector<Region>* list : {&regions.inputs, &regions.outputs, &regions.sums}) {
      for (const Region& region : *list) {
        check_address(target, device, region);
      }
    }
    for (const Region& output : regions.outputs) {
      if (overlaps_itself(output)) {
        throw Error(output.name + ": its strides lead from different indices to one element");
      }
    }
    append(outputs, regions.outputs);
    append(inputs, regions.inputs);
    if (problem == 0) {
      append(outputs, regions.sums);
    }
  }
  check_overlaps(std::move(outputs), inputs);
}

}  // namespace warpline
