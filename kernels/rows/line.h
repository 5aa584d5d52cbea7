// The kernels behind the calls on rows as rows of a table: what each takes, and how it is encoded
// and launched. Knows neither target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rows/typed_rows.h"
#include "tensor/place.h"

namespace warpline {

/// Inputs of one call, of the same type and extents.
struct RowTask {
  static constexpr int max_inputs = 3;
  ElementType type = ElementType::fp16;
  int inputs = 0;
  const void* in[max_inputs] = {};
  /// Elements from row to row.
  std::int64_t stride[max_inputs] = {};
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  /// Every row of every operand begins and ends on an access.
  bool aligned = false;
  /// All operands with as many rows as x have x's type; others have it, too, or are fp32.
  bool one_type = false;
  /// All addresses that the kernel is given, by the operands' names, to be checked on the target.
  struct Named {
    const void* data = nullptr;
    const char* name = "";
  };
  std::vector<Named> memory = {};
};

struct RowLine {
  const char* name = "";
  ElementType type = ElementType::fp16;
  /// The most.
  int inputs = 1;
  /// The longest row.
  int capacity = 0;
  /// Elements of an access, 16 bytes of the input.
  int vector = 1;
  int cluster = 1;
  /// For aligned rows of one type alone.
  bool aligned = false;
  /// Whether it takes its operation's arguments; null: all.
  bool (*serves)(const void* op) = nullptr;
  std::size_t argument_bytes = 0;
  /// Writes the kernel's arguments, `op` being its operation's, and returns how many CTAs to start.
  unsigned (*encode)(const RowTask&, const void* op, void* arguments) = nullptr;
  void (*launch)(const Place&, unsigned ctas, const void* arguments) = nullptr;
  std::string (*describe)() = nullptr;
};

/// Some lines, as one unit contributes them.
struct RowLines {
  const RowLine* first;
  int count;
};

}  // namespace warpline
