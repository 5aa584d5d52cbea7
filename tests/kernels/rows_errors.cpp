// What softmax, the norms and reductions refuse, and in which words: before anything is launched,
// on either target. And what they do not refuse: rows in place, where they fall on 16 bytes.
#include <functional>

#include "normalization/norm.h"
#include "normalization/norm_backward.h"
#include "reduction/reduce.h"
#include "softmax/softmax.h"
#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using Catch::Matchers::ContainsSubstring;

const Place place = simulator::Options{};

struct Rows {
  MutableMatrix y;
  MutableMatrix x;
  SoftmaxOptions softmax = {};
  NormOptions norm = {};
  ReduceOptions reduce = {};
};

/// 12 x 40, bf16, x and y in their own memory; changed by `change`, given to `call`.
std::string refusal_of(const std::function<void(const Rows&)>& call,
                       const std::function<void(Rows&)>& change) {
  static const TypedRowsCase x(ElementType::bf16, {.rows = 32, .columns = 64});
  static const TypedRowsCase y(ElementType::bf16, {.rows = 32, .columns = 64});
  Rows rows{.y = {y.matrix().data, ElementType::bf16, 12, 40, 40},
            .x = {x.matrix().data, ElementType::bf16, 12, 40, 40}};
  change(rows);
  try {
    call(rows);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string softmax_refusal(const std::function<void(Rows&)>& change) {
  return refusal_of([](const Rows& r) { softmax_plan(place, r.y, r.x, r.softmax); }, change);
}
std::string norm_refusal(const std::function<void(Rows&)>& change) {
  return refusal_of([](const Rows& r) { rms_norm_plan(place, r.y, r.x, r.norm); }, change);
}

void* moved(const void* address, int bytes) {
  return const_cast<unsigned char*>(static_cast<const unsigned char*>(address)) + bytes;
}

TEST_CASE("rows: nothing is refused that is right") {
  const auto as_it_is = [](Rows&) {};
  CHECK(softmax_refusal(as_it_is) == "nothing was refused");
  CHECK(norm_refusal(as_it_is) == "nothing was refused");
  CHECK(softmax_refusal([](Rows& r) { r.x.rows = r.y.rows = 0; }) == "nothing was refused");
  CHECK(softmax_refusal([](Rows& r) { r.x.columns = r.y.columns = 0; }) == "nothing was refused");
}

TEST_CASE("rows: extents, strides, types and addresses that are refused") {
  CHECK_THAT(softmax_refusal([](Rows& r) { r.x.rows = -1; }),
             ContainsSubstring("softmax: x is -1 x 40; extents are 0 or more"));
  CHECK_THAT(softmax_refusal([](Rows& r) { r.y.columns = 39; }),
             ContainsSubstring("softmax: y is 12 x 39, and the rows are 12 x 40"));
  CHECK_THAT(
      softmax_refusal([](Rows& r) { r.x.column_stride = 2; }),
      ContainsSubstring("x: its column stride is 2; the elements of a row are next to each"));
  CHECK_THAT(softmax_refusal([](Rows& r) { r.y.row_stride = 39; }),
             ContainsSubstring("y: its row stride is 39 elements, less than its 40 columns"));
  CHECK_THAT(softmax_refusal([](Rows& r) { r.x.type = ElementType::int32; }),
             ContainsSubstring("x is int32; fp16, bf16 and fp32 are possible"));
  CHECK_THAT(softmax_refusal([](Rows& r) { r.x.data = nullptr; }),
             ContainsSubstring("x: its address is null"));
  CHECK_THAT(softmax_refusal([](Rows& r) { r.y.data = moved(r.y.data, 1); }),
             ContainsSubstring("y: its address is no multiple of 2, the size of bf16"));
  CHECK_THAT(softmax_refusal([](Rows& r) {
               r.x.columns = r.y.columns = r.x.row_stride = r.y.row_stride = 262145;
             }),
             ContainsSubstring("x has rows of 262145 elements; 1 to 262144 are possible"));
}

TEST_CASE("rows: options that are refused") {
  CHECK_THAT(softmax_refusal([](Rows& r) { r.softmax.scale = std::nanf(""); }),
             ContainsSubstring("softmax: scale is NaN"));
  CHECK_THAT(softmax_refusal([](Rows& r) {
               r.softmax.causal = true;
               r.softmax.causal_rows = -3;
             }),
             ContainsSubstring("causal_rows is -3"));
  CHECK_THAT(softmax_refusal([](Rows& r) {
               r.softmax.mask = r.x;
               r.softmax.mask.columns = 38;
             }),
             ContainsSubstring("mask is 12 x 38"));
  CHECK_THAT(norm_refusal([](Rows& r) { r.norm.epsilon = -1; }),
             ContainsSubstring("rms_norm: epsilon is -1.000000; it is 0 or more"));
  CHECK_THAT(norm_refusal([](Rows& r) { r.norm.weight = r.x; }),
             ContainsSubstring("rms_norm: weight has 12 rows; it has one"));
  CHECK_THAT(norm_refusal([](Rows& r) { r.norm.sum = r.y; }),
             ContainsSubstring("sum is given, but no residual"));
  CHECK_THAT(norm_refusal([](Rows& r) {
               r.norm.residual = r.x;
               r.norm.residual.type = ElementType::fp16;
             }),
             ContainsSubstring("residual is fp16, and the rows are bf16: it needs the same type"));
  static unsigned char fp8[12 * 40];
  CHECK_THAT(norm_refusal([](Rows& r) {
               r.norm.fp8 = {fp8, 39, nullptr};
             }),
             ContainsSubstring("fp8: its row stride is 39 bytes, less than its 40 columns"));
  CHECK_THAT(norm_refusal([](Rows& r) {
               r.norm.fp8 = {fp8, 40, nullptr};
             }),
             ContainsSubstring("rms_norm: fp8.scales: its address is null"));
  static float mean[12];
  CHECK_THAT(norm_refusal([](Rows& r) { r.norm.rstd = static_cast<float*>(r.y.data); }),
             ContainsSubstring("rms_norm: y and rstd overlap"));
  CHECK_THAT(norm_refusal([](Rows& r) {
               r.norm.fp8 = {static_cast<std::uint8_t*>(r.x.data), 40, mean};
             }),
             ContainsSubstring("rms_norm: fp8 and x overlap"));
  CHECK_THAT(norm_refusal([](Rows& r) { r.norm.mean = mean; }),
             ContainsSubstring("rms_norm: mean is given, but it takes none"));
}

TEST_CASE("rows: memory that is shared") {
  CHECK(softmax_refusal([](Rows& r) { r.y = r.x; }) == "nothing was refused");
  CHECK_THAT(softmax_refusal([](Rows& r) { r.y.data = moved(r.x.data, 16); }),
             ContainsSubstring("y and x overlap"));
  CHECK_THAT(softmax_refusal([](Rows& r) {
               r.x.columns = r.x.row_stride = 39;
               r.y = r.x;
             }),
             ContainsSubstring("y and x are the same memory; that needs addresses, strides and"));
  CHECK_THAT(norm_refusal([](Rows& r) {
               r.norm.residual = r.x;
               r.norm.sum = r.y;
             }),
             ContainsSubstring("overlap"));
}

TEST_CASE("rows: a plan runs where it was made for") {
  const TypedRowsCase x(ElementType::bf16, {.rows = 3, .columns = 8});
  const PreparedRows plan = softmax_plan(place, x.matrix(), x.matrix());
  CHECK_THROWS_WITH(plan.run(Place(static_cast<CUstream_st*>(nullptr))),
                    ContainsSubstring("this plan was made for the simulator"));
}

TEST_CASE("reduce: what it refuses") {
  const auto refusal = [](const std::function<void(Rows&)>& change) {
    return refusal_of(
        [](const Rows& r) { reduce_plan(place, r.y, r.x, ReduceKind::sum, r.reduce); },
        [&](Rows& r) {
          r.y.columns = 1;
          change(r);
        });
  };
  CHECK(refusal([](Rows&) {}) == "nothing was refused");
  CHECK_THAT(refusal([](Rows& r) { r.y.rows = 11; }),
             ContainsSubstring("reduce: out is 11 x 1, and x has 12 rows"));
  CHECK_THAT(refusal([](Rows& r) { r.y.type = ElementType::int32; }),
             ContainsSubstring("x is bf16, and out is int32: both are int32 or neither"));
  CHECK_THAT(refusal([](Rows& r) { r.x.row_stride = 20; }),
             ContainsSubstring("x: its row stride is 20 elements, less than its 40 columns"));
  CHECK_THAT(refusal([](Rows& r) {
               r.x.rows = r.y.rows = 1;
               r.x.columns = std::int64_t{1} << 24;
               // So long, it would reach what is behind its own memory, perhaps out.
               r.x.data = moved(r.y.data, 1 << 20);
               r.reduce.workspace = r.y.data;
               r.reduce.workspace_bytes = 16;
             }),
             ContainsSubstring("reduce: workspace has 16 bytes; "));
}

TEST_CASE("reduce: views that are refused, and argmax") {
  static const DeviceArray<float> x(std::vector<float>(600));
  static const DeviceArray<float> y(std::vector<float>(64));
  const auto refusal = [](const ReduceView& view, const MutableMatrix& out) {
    try {
      reduce_plan(place, out, view);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  const ReduceView view = ReduceView::contiguous(x.data(), 3, 20, 10);
  CHECK(refusal(view, row_major(y.data(), 3, 10)) == "nothing was refused");
  CHECK_THAT(
      refusal(view, row_major(y.data(), 3, 9)),
      ContainsSubstring("reduce: out is 3 x 9, and x is 3 x (20) x 10: it needs an element"));
  CHECK_THAT(refusal(view, row_major(y.data(), 3, 10, 9)),
             ContainsSubstring("out: its strides are 9 and 1; its elements must not share memory"));
  CHECK_THAT(refusal(view, row_major(x.data(), 3, 10)), ContainsSubstring("out and x overlap"));
  ReduceView changed = view;
  changed.reduced_stride = -10;
  CHECK_THAT(refusal(changed, row_major(y.data(), 3, 10)),
             ContainsSubstring("x: its strides are 200, -10, 1; strides are 0 or more"));
  changed = view;
  changed.outer = -3;
  CHECK_THAT(refusal(changed, row_major(y.data(), 3, 10)),
             ContainsSubstring("x is -3 x 20 x 10; extents are 0 or more"));
  static const DeviceArray<std::int64_t> indices(std::vector<std::int64_t>(64));
  CHECK_THROWS_WITH(argmax_plan(place, nullptr, view),
                    ContainsSubstring("argmax: indices: its address is null"));
  CHECK_THROWS_WITH(argmax_plan(place, indices.data(), row_major(x.data(), 5, 0)),
                    ContainsSubstring("argmax: x has rows of 0 elements; they have one at least"));
}

TEST_CASE("norm gradients: what they refuse") {
  static const DeviceArray<float> rstd(std::vector<float>(12));
  static const TypedRowsCase dy(ElementType::bf16, {.rows = 12, .columns = 40});
  const auto refusal = [](const std::function<void(Rows&, NormBackwardOptions&)>& change) {
    NormBackwardOptions options;
    return refusal_of(
        [&](const Rows& r) {
          rms_norm_backward_plan(place, r.y, dy.matrix(), r.x, rstd.data(), options);
        },
        [&](Rows& r) { change(r, options); });
  };
  CHECK(refusal([](Rows&, NormBackwardOptions&) {}) == "nothing was refused");
  CHECK(refusal([](Rows& r, NormBackwardOptions&) { r.y = dy.matrix(); }) == "nothing was refused");
  CHECK_THAT(refusal([](Rows& r, NormBackwardOptions&) { r.x.rows = 11; }),
             ContainsSubstring("rms_norm_backward: dy is 12 x 40, and the rows are 11 x 40"));
  CHECK_THAT(refusal([](Rows& r, NormBackwardOptions&) { r.y.type = ElementType::fp16; }),
             ContainsSubstring("dx is fp16, and the rows are bf16: it needs the same type"));
  CHECK_THAT(refusal([](Rows& r, NormBackwardOptions& o) { o.dweight = r.y; }),
             ContainsSubstring("dweight has 12 rows; it has one"));
  CHECK_THAT(refusal([](Rows& r, NormBackwardOptions& o) {
               o.dbias = r.y;
               o.dbias.rows = 1;
             }),
             ContainsSubstring("dx and dbias overlap"));
  const auto x = dy.matrix();
  CHECK_THROWS_WITH(rms_norm_backward_plan(place, x, x, x, nullptr),
                    ContainsSubstring("rms_norm_backward: rstd: its address is null"));
  CHECK_THROWS_WITH(layer_norm_backward_plan(place, x, x, x, nullptr, rstd.data()),
                    ContainsSubstring("layer_norm_backward: mean: its address is null"));
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
