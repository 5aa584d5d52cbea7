// What the kernel of a norm's gradients of weight and bias is told. Knows neither target.
#pragma once

#include "tensor/matrix.h"
#include "tensor/place.h"

namespace warpline {

inline constexpr int norm_gradients_threads = 512;

/// A row of results, and the first of the rows of fp32 that are summed up to it.
struct NormGradient {
  const float* partial = nullptr;
  void* data = nullptr;
  ElementType type = ElementType::fp32;
};

struct NormGradients {
  NormGradient gradient[2] = {};
  /// How many there are.
  int count = 0;
  /// Of the workspace; 0: all sums are 0.
  int rows = 0;
  std::int64_t columns = 0;
  /// Threads of a column, a power of two.
  int parts = 1;

  /// Eight rows for each thread: those are loaded at once.
  void choose_parts() {
    parts = 1;
    while (parts < 16 && rows >= 16 * parts) {
      parts *= 2;
    }
  }
};

/// The kernel of a target.
struct NormGradientsLine {
  /// Checks the results' addresses and loads the kernel: the launches that follow do not wait.
  void (*prepare)(const NormGradients&) = nullptr;
  void (*launch)(const Place&, const NormGradients&) = nullptr;
};

}  // namespace warpline
