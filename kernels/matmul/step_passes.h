// The steps of an epilogue, each as one pass over the elements that a thread holds. Which step it
// is, all threads know: no branch is taken within a pass.
#pragma once

#include "matmul/step_math.h"
#include "matmul/step_operands.h"
#include "matmul/step_stores.h"
#include "warpline/isa/atomic.h"
#include "warpline/isa/warp.h"

namespace warpline::inline WARPLINE_TARGET {

/// For 64 rows x `Columns` columns of a warpgroup's accumulator, of which each thread holds `x`.
template <int Columns>
class StepPasses {
  using Kind = EpilogueStep::Kind;
  using Place = AccumulatorPlace<Columns>;
  static constexpr int elements = Place::elements;
  using Elements = float[elements];

 public:
  WARPLINE_DEVICE StepPasses(Elements& x, const Place& place, int matrix, uint32_t lane)
      : x_(x), place_(place), matrix_(matrix), lane_(lane) {}

  WARPLINE_DEVICE void apply(const EpilogueStep& step) const {
    const StepMatrix operand(step, matrix_);
    const float first = step.first;
    const float second = step.second;
    switch (step.kind) {
      case Kind::row_bias:
      case Kind::row_scale:
        combine_rows(step, operand);
        break;
      case Kind::column_bias:
      case Kind::column_scale:
        combine_columns(step, operand);
        break;
      case Kind::residual:
        add_residual(step, operand);
        break;
      case Kind::scale:
        change([&](int, float x) { return x * first; });
        break;
      case Kind::relu:
        change([](int, float x) { return step_math::relu(x); });
        break;
      case Kind::gelu:
        change([](int, float x) { return step_math::gelu(x); });
        break;
      case Kind::gelu_tanh:
        change([](int, float x) { return step_math::gelu_tanh(x); });
        break;
      case Kind::silu:
        change([](int, float x) { return step_math::silu(x); });
        break;
      case Kind::clamp:
        change([&](int, float x) { return step_math::clamp(x, first, second); });
        break;
      case Kind::store:
        StepStores<Columns>(x_, place_, operand)(step.type, lane_);
        break;
      case Kind::amax:
        raise_amax(operand);
        break;
    }
  }

 private:
  template <class Change>
  WARPLINE_DEVICE void change(Change change) const {
    WARPLINE_UNROLL
    for (int i = 0; i < elements; ++i) {
      x_[i] = change(i, x_[i]);
    }
  }

  /// x + v and x * v as one pass: x * factor + summand, exact where one of them does nothing.
  struct Combination {
    bool scales;
    WARPLINE_DEVICE float operator()(float x, float v) const {
      return fmaf(x, scales ? v : 1.0f, scales ? -0.0f : v);
    }
  };

  WARPLINE_DEVICE void combine_rows(const EpilogueStep& step, const StepMatrix& operand) const {
    const Combination combine{step.kind == Kind::row_scale};
    float values[2] = {};
    with_reader(step, operand, [&](const auto& reader) {
      WARPLINE_UNROLL
      for (int line = 0; line < 2; ++line) {
        const int index = Place::index_of(line, 0);
        values[line] = reader.one(operand.at(place_.row(index), 0), place_.row_inside(index));
      }
    });
    change([&](int index, float x) { return combine(x, values[Place::line(index)]); });
  }

  WARPLINE_DEVICE void combine_columns(const EpilogueStep& step, const StepMatrix& operand) const {
    const Combination combine{step.kind == Kind::column_scale};
    FloatPair values[Place::pairs_in_row];
    with_reader(step, operand, [&](const auto& reader) {
      const unsigned char* from = operand.at(0, place_.column(0));
      WARPLINE_UNROLL
      for (int pair = 0; pair < Place::pairs_in_row; ++pair) {
        const int index = Place::index_of(0, pair);
        values[pair] =
            reader.two(from, place_.column_inside(index), place_.column_inside(index + 1));
        from += reader.pair_bytes();
      }
    });
    change([&](int index, float x) {
      const FloatPair& pair = values[Place::pair(index)];
      return combine(x, index % 2 == 0 ? pair.first : pair.second);
    });
  }

  WARPLINE_DEVICE void add_residual(const EpilogueStep& step, const StepMatrix& operand) const {
    const float factor = step.first;
    with_reader(step, operand, [&](const auto& reader) {
      WARPLINE_UNROLL
      for (int line = 0; line < 2; ++line) {
        const unsigned char* from =
            operand.at(place_.row(Place::index_of(line, 0)), place_.column(0));
        WARPLINE_UNROLL
        for (int pair = 0; pair < Place::pairs_in_row; ++pair) {
          const int index = Place::index_of(line, pair);
          const FloatPair r = reader.two(from, place_.inside(index), place_.inside(index + 1));
          from += reader.pair_bytes();
          x_[index] = fmaf(r.first, factor, x_[index]);
          x_[index + 1] = fmaf(r.second, factor, x_[index + 1]);
        }
      }
    });
  }

  /// As bits, so that a NaN is the largest of all and stays.
  WARPLINE_DEVICE void raise_amax(const StepMatrix& operand) const {
    uint32_t largest = 0;
    WARPLINE_UNROLL
    for (int i = 0; i < elements; ++i) {
      const uint32_t bits = bits_as<uint32_t>(x_[i]) & 0x7fffffffu;
      largest = place_.inside(i) && bits > largest ? bits : largest;
    }
    WARPLINE_UNROLL
    for (uint32_t distance = 16; distance > 0; distance /= 2) {
      const uint32_t other = isa::shuffle_xor(largest, distance);
      largest = other > largest ? other : largest;
    }
    if (lane_ == 0) {
      isa::max_relaxed(reinterpret_cast<uint32_t*>(operand.data), largest);
    }
  }

  Elements& x_;
  const Place& place_;
  int matrix_;
  uint32_t lane_;
};

}  // namespace warpline::inline WARPLINE_TARGET
