// What the Pipeline's test kernels have in common: tiles of int32 go through a ring, threads add
// them up with weights that tell the order, and the host knows the sums.
#pragma once

#include <vector>

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/make_tensor_map.h"
#include "warpline/pipeline.h"

namespace warpline::tests::inline WARPLINE_TARGET {

using SumTile = SharedTile<int32_t, 8, 32>;
inline constexpr int sum_elements = SumTile::rows * SumTile::columns;

struct SumArguments {
  TensorMap<SumTile> input;
  const int32_t* flat_input;
  int32_t* out;
  int tiles;
  int k_tiles;
};

/// One thread's share of the elements of a tile: every `threads`-th from its rank on.
template <class Group>
class TileSums {
 public:
  explicit WARPLINE_DEVICE TileSums(const Group& group)
      : rank_(static_cast<int>(group.thread_rank())) {}

  /// element(row, column) is added, `weight` times.
  template <class Element>
  WARPLINE_DEVICE void add(int weight, Element element) {
    for_each([&](int i, int e) {
      sums_[i] += weight * element(e / SumTile::columns, e % SumTile::columns);
    });
  }

  /// Writes the sums to out[element], and starts again.
  WARPLINE_DEVICE void store(int32_t* out) {
    for_each([&](int i, int e) {
      isa::store_global(out + e, sums_[i]);
      sums_[i] = 0;
    });
  }

  /// Calls visit(row, column) for this thread's elements.
  template <class Visit>
  WARPLINE_DEVICE void visit(Visit body) {
    for_each([&](int, int e) { body(e / SumTile::columns, e % SumTile::columns); });
  }

 private:
  static constexpr int per_thread = (sum_elements + Group::threads - 1) / Group::threads;
  template <class Visit>
  WARPLINE_DEVICE void for_each(Visit visit) {
    WARPLINE_UNROLL
    for (int i = 0; i < per_thread; ++i) {
      if (rank_ + i * Group::threads < sum_elements) {
        visit(i, rank_ + i * Group::threads);
      }
    }
  }

  int rank_;
  int32_t sums_[per_thread] = {};
};

inline int32_t sum_input(int index) { return (index * 37 + index / 256 * 11) % 1009 - 500; }

/// Runs the kernel on every schedule. out[tile][element] must be the sum over k of term(k,
/// input[tile][k][element]).
template <class Kernel, class Term>
void check_sums_of(int tiles, int k_tiles, int seeds, Term term) {
  const int inputs = tiles * k_tiles > 0 ? tiles * k_tiles : 1;  // no map may be empty
  std::vector<int32_t> input;
  for (int i = 0; i < inputs * sum_elements; ++i) {
    input.push_back(sum_input(i));
  }
  std::vector<int32_t> expected;
  for (int tile = 0; tile < tiles; ++tile) {
    for (int e = 0; e < sum_elements; ++e) {
      int32_t sum = 0;
      for (int k = 0; k < k_tiles; ++k) {
        sum += term(k, sum_input((tile * k_tiles + k) * sum_elements + e));
      }
      expected.push_back(sum);
    }
  }
  const DeviceArray<int32_t> device_input(input);
  DeviceArray<int32_t> out(expected);
  const SumArguments arguments{.input = make_tensor_map<SumTile>(
                                   MatrixView<int32_t>{device_input.data(), inputs * SumTile::rows,
                                                       SumTile::columns, SumTile::columns},
                                   "input"),
                               .flat_input = device_input.data(),
                               .out = out.data(),
                               .tiles = tiles,
                               .k_tiles = k_tiles};
  INFO("tiles " << tiles << ", k tiles " << k_tiles);
  on_every_schedule(seeds, [&](const Stream& stream) {
    out.assign(std::vector<int32_t>(expected.size(), -1));
    launch<Kernel>(stream, {1, 1, 1}, arguments);
    REQUIRE(out.values() == expected);
  });
}

/// The weights that most kernels use.
inline int32_t weighted(int k, int32_t value) { return (k + 1) * value; }

}  // namespace warpline::tests::inline WARPLINE_TARGET
