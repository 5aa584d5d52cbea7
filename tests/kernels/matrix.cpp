// Operands of calls: how they are made.
#include "tensor/matrix.h"

#include <cuda/std/mdspan>
#include <vector>

#include "tests/support/catch.h"

namespace warpline::tests {
namespace {

TEST_CASE("an mdspan is a matrix") {
  std::vector<float> data(60);
  const cuda::std::mdspan<float, cuda::std::dextents<int, 2>> rows(data.data(), 5, 12);
  const MutableMatrix d = rows;
  CHECK(d.data == data.data());
  CHECK(d.type == ElementType::fp32);
  CHECK(d.rows == 5);
  CHECK(d.columns == 12);
  CHECK(d.row_stride == 12);
  CHECK(d.column_stride == 1);
  const cuda::std::mdspan<const float, cuda::std::extents<std::size_t, 5, 12>,
                          cuda::std::layout_left>
      columns(data.data());
  const Matrix a = columns;
  CHECK(a.row_stride == 1);
  CHECK(a.column_stride == 5);
}

TEST_CASE("rows for columns") {
  const std::vector<__half> data(60);
  const Matrix a = row_major(data.data(), 5, 12);
  const Matrix t = a.transposed();
  CHECK(t.rows == 12);
  CHECK(t.columns == 5);
  CHECK(t.row_stride == 1);
  CHECK(t.column_stride == 12);
  CHECK(t.data == a.data);
  CHECK(column_major(data.data(), 5, 12).row_stride == 1);
  CHECK(column_major(data.data(), 5, 12).column_stride == 5);
  CHECK(row_major(data.data(), 5, 6, 10).row_stride == 10);
}

TEST_CASE("a batch by stride and by address") {
  std::vector<__half> data(60);
  const MutableMatrix d = row_major(data.data(), 2, 3);
  CHECK(d.in_batch(6).batch_stride == 6);
  CHECK(d.batch_stride == 0);
  void* const addresses[] = {data.data() + 6, data.data()};
  const Matrix a = d.at(addresses).transposed();
  CHECK(a.addresses[0] == data.data() + 6);
  CHECK(a.rows == 3);
}

}  // namespace
}  // namespace warpline::tests
