#include "rows/checks.h"

#include <cstdint>

#include "warpline/error.h"

namespace warpline::rows {

namespace {

[[noreturn]] void refuse(const char* call, const std::string& what) {
  throw Error(std::string(call) + ": " + what);
}

std::string shape_of(const Matrix& m) {
  return std::to_string(m.rows) + " x " + std::to_string(m.columns);
}

std::uintptr_t begin_of(const Matrix& m) { return reinterpret_cast<std::uintptr_t>(m.data); }

std::uintptr_t end_of(const Matrix& m) {
  return begin_of(m) +
         static_cast<std::uintptr_t>(((m.rows - 1) * m.row_stride + m.columns) * bytes_of(m.type));
}

void check_address(const char* call, const Operand& operand, int unit, const std::string& what) {
  if (operand.matrix.data == nullptr) {
    refuse(call, std::string(operand.name) + ": its address is null");
  }
  if (begin_of(operand.matrix) % static_cast<unsigned>(unit) != 0) {
    refuse(call, std::string(operand.name) + ": its address is no multiple of " +
                     std::to_string(unit) + ", the size of " + what);
  }
}

void check_per_row(const char* call, const Operand& operand, const Matrix& x) {
  const Matrix& m = operand.matrix;
  if (x.rows != 0 && x.columns != 0) {
    const int unit = static_cast<int>(m.columns) * bytes_of(m.type);
    check_address(call, operand, unit, "its elements");
  }
}

void check_one(const char* call, const Operand& operand, const Matrix& x) {
  const Matrix& m = operand.matrix;
  const std::string name = operand.name;
  if (m.rows < 0 || m.columns < 0) {
    refuse(call, name + " is " + shape_of(m) + "; extents are 0 or more");
  }
  if (operand.per_row) {
    check_per_row(call, operand, x);
    return;
  }
  if (m.columns != x.columns || (!operand.broadcast && m.rows != x.rows)) {
    refuse(call, name + " is " + shape_of(m) + ", and the rows are " + shape_of(x) +
                     (operand.broadcast ? ": it needs as many columns" : ": it needs the same"));
  }
  if (x.rows == 0 || x.columns == 0) {
    return;
  }
  if (operand.broadcast && m.rows < 1) {
    refuse(call, name + " has no row");
  }
  if (m.columns > 1 && m.column_stride != 1) {
    refuse(call, name + ": its column stride is " + std::to_string(m.column_stride) +
                     "; the elements of a row are next to each other (1)");
  }
  if (m.rows > 1 && m.row_stride < m.columns) {
    refuse(call, name + ": its row stride is " + std::to_string(m.row_stride) +
                     " elements, less than its " + std::to_string(m.columns) + " columns");
  }
  check_address(call, operand, bytes_of(m.type), name_of(m.type));
  if (m.type == ElementType::int32) {
    refuse(call, name + " is int32; fp16, bf16 and fp32 are possible");
  }
  if (operand.streamed && m.type != x.type) {
    refuse(call, name + " is " + name_of(m.type) + ", and the rows are " + name_of(x.type) +
                     ": it needs the same type");
  }
}

/// Rows of both lie side by side in rows of a wider matrix.
bool side_by_side(const Matrix& a, const Matrix& b) {
  const auto stride = a.row_stride * bytes_of(a.type);
  if (stride != b.row_stride * bytes_of(b.type)) {
    return false;
  }
  const auto distance =
      static_cast<std::int64_t>(begin_of(b)) - static_cast<std::int64_t>(begin_of(a));
  const auto within = (distance % stride + stride) % stride;
  return within >= a.columns * bytes_of(a.type) && within + b.columns * bytes_of(b.type) <= stride;
}

bool same_place(const Matrix& a, const Matrix& b) {
  return a.data == b.data && bytes_of(a.type) == bytes_of(b.type) &&
         (a.rows == 1 || a.row_stride == b.row_stride);
}

}  // namespace

void check(const char* call, const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) {
    check_one(call, operand, operands.front().matrix);
  }
}

bool fall_on_accesses(const std::vector<Operand>& operands) {
  const std::int64_t vector = 16 / bytes_of(operands.front().matrix.type);
  for (const Operand& operand : operands) {
    if (operand.per_row) {
      continue;
    }
    const Matrix& m = operand.matrix;
    const std::int64_t access_bytes = vector * bytes_of(m.type);
    const auto unit = access_bytes > 16 ? 16 : access_bytes;
    if (begin_of(m) % static_cast<std::uintptr_t>(unit) != 0 || m.columns % vector != 0 ||
        (m.rows > 1 && m.row_stride * bytes_of(m.type) % unit != 0)) {
      return false;
    }
  }
  return true;
}

void check_overlaps(const char* call, const std::vector<Operand>& operands, bool aligned) {
  for (const Operand& out : operands) {
    if (!out.written) {
      continue;
    }
    for (const Operand& other : operands) {
      if (&other == &out || end_of(out.matrix) <= begin_of(other.matrix) ||
          end_of(other.matrix) <= begin_of(out.matrix)) {
        continue;
      }
      const bool rows = !out.per_row && !other.per_row;
      const bool in_place = rows && other.streamed && same_place(out.matrix, other.matrix);
      const bool apart = rows && out.matrix.rows > 1 && side_by_side(out.matrix, other.matrix);
      if ((in_place || apart) && aligned) {
        continue;
      }
      refuse(call, std::string(out.name) + " and " + other.name +
                       (in_place ? " are the same memory; that needs addresses, strides and row "
                                   "lengths on 16 bytes"
                                 : " overlap"));
    }
  }
}

}  // namespace warpline::rows
