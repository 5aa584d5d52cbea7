#include "reduction/reduce_checks.h"

#include "warpline/error.h"

namespace warpline::reduction {

void refuse(const char* call, const std::string& what) {
  throw Error(std::string(call) + ": " + what);
}

namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

void check_address(const char* call, const char* name, const void* data, int bytes,
                   const char* type) {
  if (data == nullptr) {
    refuse(call, std::string(name) + ": its address is null");
  }
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<unsigned>(bytes) != 0) {
    refuse(call, std::string(name) + ": its address is no multiple of " + text(bytes) +
                     ", the size of " + type);
  }
}

}  // namespace

void check(const char* call, const MutableMatrix& out, const Matrix& x) {
  if (x.rows < 0 || x.columns < 0) {
    refuse(call, "x is " + text(x.rows) + " x " + text(x.columns) + "; extents are 0 or more");
  }
  if (out.rows != x.rows || out.columns != 1) {
    refuse(call, "out is " + text(out.rows) + " x " + text(out.columns) + ", and x has " +
                     text(x.rows) + " rows: it needs as many, of one element");
  }
  if (out.rows > 1 && out.row_stride < 1) {
    refuse(call, "out: its row stride is " + text(out.row_stride) + "; it is 1 or more");
  }
  if (x.columns > 1 && x.column_stride != 1) {
    refuse(call, "x: its column stride is " + text(x.column_stride) +
                     "; the elements of a row are next to each other (1)");
  }
  if (x.rows > 1 && x.row_stride < x.columns) {
    refuse(call, "x: its row stride is " + text(x.row_stride) + " elements, less than its " +
                     text(x.columns) + " columns");
  }
}

void check(const char* call, const MutableMatrix& out, const ReduceView& x) {
  if (x.outer < 0 || x.reduced < 0 || x.inner < 0) {
    refuse(call, "x is " + text(x.outer) + " x " + text(x.reduced) + " x " + text(x.inner) +
                     "; extents are 0 or more");
  }
  if (x.outer_stride < 0 || x.reduced_stride < 0 || x.inner_stride < 0) {
    refuse(call, "x: its strides are " + text(x.outer_stride) + ", " + text(x.reduced_stride) +
                     ", " + text(x.inner_stride) + "; strides are 0 or more");
  }
  if (out.rows != x.outer || out.columns != x.inner) {
    refuse(call, "out is " + text(out.rows) + " x " + text(out.columns) + ", and x is " +
                     text(x.outer) + " x (" + text(x.reduced) + ") x " + text(x.inner) +
                     ": it needs an element for each of " + text(x.outer) + " x " + text(x.inner));
  }
  const bool rows_apart =
      out.rows <= 1 || (out.row_stride >= 1 &&
                        (out.columns <= 1 || out.row_stride >= out.columns * out.column_stride ||
                         out.column_stride >= out.rows * out.row_stride));
  if (!rows_apart || (out.columns > 1 && out.column_stride < 1)) {
    refuse(call, "out: its strides are " + text(out.row_stride) + " and " +
                     text(out.column_stride) + "; its elements must not share memory");
  }
}

void check_types(const char* call, ElementType x, ElementType out, ReduceKind kind) {
  if ((x == ElementType::int32) != (out == ElementType::int32)) {
    refuse(call, std::string("x is ") + name_of(x) + ", and out is " + name_of(out) +
                     ": both are int32 or neither");
  }
  if (x == ElementType::int32 && kind == ReduceKind::norm) {
    refuse(call, "x is int32; a norm is of floating-point numbers");
  }
}

void check_memory(const char* call, const Memory& memory) {
  const ReduceExtents& e = *memory.extents;
  check_address(call, memory.out_name, memory.out, memory.out_bytes,
                memory.out_bytes == 8 ? "an index" : "its type");
  if (e.reduced == 0) {
    return;
  }
  check_address(call, "x", memory.x, bytes_of(memory.x_type), name_of(memory.x_type));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.x);
  const auto end = begin + static_cast<std::uintptr_t>(((e.outer - 1) * e.x_outer +
                                                        (e.reduced - 1) * e.x_reduced +
                                                        (e.inner - 1) * e.x_inner + 1) *
                                                       bytes_of(memory.x_type));
  const auto out_begin = reinterpret_cast<std::uintptr_t>(memory.out);
  const auto out_end =
      out_begin +
      static_cast<std::uintptr_t>(((e.outer - 1) * e.out_outer + (e.inner - 1) * e.out_inner + 1) *
                                  memory.out_bytes);
  if (begin < out_end && out_begin < end) {
    refuse(call, std::string(memory.out_name) + " and x overlap");
  }
}

}  // namespace warpline::reduction
