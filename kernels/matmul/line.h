// The kernels behind warpline::matmul as rows of a table: what each can do, and how it is encoded
// and launched. Knows neither target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "matmul/epilogue_steps.h"
#include "matmul/splits_and_rasters.h"
#include "tensor/matrix.h"
#include "tensor/place.h"

namespace warpline {

/// Which dimension of an operand is contiguous: K, or the other one (M of A, N of B).
enum class Contiguous : std::uint8_t { k, mn };

/// How a kernel fills its stages.
enum class Fill : std::uint8_t {
  copies,  ///< by TMA: address and strides on 16 bytes
  threads  ///< by ordinary loads: any address, any strides
};

/// How D leaves a kernel.
enum class Leave : std::uint8_t {
  copies,             ///< row-major, A's type, by TMA: address, stride and row length on 16 bytes
  copies_transposed,  ///< the same for a D whose contiguous dimension is the kernel's M
  threads             ///< any type, any strides, through the steps of an epilogue
};

struct MatmulLine {
  const char* name = "";
  /// Of A and B; a kernel that fills by threads takes either layout.
  ElementType type = ElementType::fp16;
  Contiguous a = Contiguous::k;
  Contiguous b = Contiguous::k;
  Fill fill = Fill::copies;
  Leave leave = Leave::copies;
  int block_m = 0;
  int block_n = 0;
  int block_k = 0;
  int stages = 0;
  int cluster_m = 1;
  int cluster_n = 1;
  /// CTAs that share a tile along K.
  int cluster_k = 1;
  /// That run together on one multiprocessor.
  int ctas_per_sm = 1;
  /// Consumer warpgroups of a CTA: they share a tile, or (ping-pong) have one each, in turns.
  int warpgroups = 2;
  bool ping_pong = false;
  /// Holds all of A and streams B once (few_rows.h): no tiles, no splits, no raster.
  bool streams_b = false;
  /// Arguments' bytes: what encode() writes and launch() reads. 64-byte alignment.
  std::size_t argument_bytes = 0;
  int cluster_ctas() const { return cluster_m * cluster_n * cluster_k; }
  bool takes_splits() const { return cluster_k == 1 && !streams_b; }
  /// What splits need.
  std::size_t (*workspace_bytes)(const struct MatmulTask&) = nullptr;
  /// Why it cannot take a task whose types, layouts and addresses fit, in words; null: it can.
  std::string (*obstacle)(const struct MatmulTask&) = nullptr;
  /// M, N, K and batch > 0. Throws Error if the kernel cannot take the problem.
  void (*encode)(const struct MatmulTask&, void* arguments) = nullptr;
  void (*launch)(const struct MatmulTask&, const Place&, const void* arguments) = nullptr;
  std::string (*describe)() = nullptr;
};

/// A problem in the terms of a kernel: D[m][n] = sum over k of A[m][k] B[n][k]. (The API's B is
/// K x N; swapped problems and a column-major D are turned into this by exchanging A and B.)
struct MatmulTask {
  struct Operand {
    const void* data = nullptr;
    /// Elements from one index of the dimension to the next; one of them is 1 (or the extent is).
    std::int64_t mn_stride = 0;
    std::int64_t k_stride = 1;
    std::int64_t batch_stride = 0;
  };
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  Operand a;
  Operand b;
  void* d = nullptr;
  ElementType d_type = ElementType::fp16;
  std::int64_t d_row_stride = 0;
  std::int64_t d_column_stride = 1;
  std::int64_t d_batch_stride = 0;
  float alpha = 1;
  /// Leave::threads only; in order, beta * C (a residual) first. Rows and columns are m and n.
  int steps = 0;
  EpilogueStep step[max_epilogue_steps];
  /// Parts of K that different CTAs sum, for the last tiles or all (persistent_schedule.h); 1,
  /// which is all that some lines take; or stream_k.
  int splits = 1;
  /// Sums of three parts or more are added up in the order in which they come.
  bool any_order = false;
  /// Rows of tiles in a group; or hilbert_raster.
  int raster = 0;
  int max_ctas = 0;
  bool dependent_launch = false;
  /// MatmulLine::workspace_bytes(task) bytes, all zero, as every run leaves them.
  void* workspace = nullptr;
};

/// Each target's table. Of the GPU's there is one only in builds with WARPLINE_HAS_GPU.
const std::vector<MatmulLine>& gpu_matmul_lines();
const std::vector<MatmulLine>& simulator_matmul_lines();

}  // namespace warpline
