// The shipped kernels that are no matmul: pipeline_alone's scale, and the how-to's scaled_add.
#include <vector>

#include "samples/pipeline_alone/scale.h"
#include "subject.h"
#include "tests/docs/howto_kernel.h"

namespace sample {

namespace {

using warpline::simulator::Options;

/// out[i] = 2.5 in[i]: five chunks for a ring of three stages, the last one not whole.
bool scale_is_right(const Options& options) {
  constexpr int count = 4 * pipeline_alone::Scale::chunk + 100;
  std::vector<float> in;
  for (int i = 0; i < count; ++i) {
    in.push_back(static_cast<float>(i));
  }
  std::vector<float> out(in.size(), -1.0F);
  warpline::launch<pipeline_alone::Scale>({.options = options}, {1, 1, 1},
                                          {in.data(), out.data(), count, 2.5F});
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (out[i] != 2.5F * in[i]) {
      return false;
    }
  }
  return true;
}

/// y = 2 x + y on 150 x 36 of rows of 44: five tiles for one CTA, tails in both dimensions.
bool scaled_add_is_right(const Options& options) {
  constexpr int rows = 150;
  constexpr int columns = 36;
  constexpr int stride = 44;
  std::vector<float> x;
  std::vector<float> y;
  std::vector<float> expected;
  for (int i = 0; i < rows * stride; ++i) {
    x.push_back(static_cast<float>(i % 13));
    y.push_back(static_cast<float>(i % 7));
    expected.push_back(i % stride < columns ? 2 * x.back() + y.back() : y.back());
  }
  example::scaled_add({.options = options}, 2.0F, {x.data(), rows, columns, stride},
                      {y.data(), rows, columns, stride}, 1);
  return y == expected;
}

}  // namespace

std::vector<Subject> array_subjects() {
  return {{"pipeline_alone", scale_is_right}, {"howto_scaled_add", scaled_add_is_right}};
}

}  // namespace sample
