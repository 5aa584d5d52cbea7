#include "matmul/cost.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace warpline {

namespace {

constexpr double threads_per_warpgroup = 128;
constexpr double sum_bytes = 4;

double tiles_of(std::int64_t extent, int block) {
  return std::ceil(static_cast<double>(extent) / block);
}

struct Grid {
  double m_tiles;  ///< of a whole cluster
  double n_tiles;
  double clusters;
  double k_tiles;  ///< of a CTA
};

Grid grid_of(const MatmulLine& line, const MatmulTask& task, int multiprocessors) {
  const int ctas = line.cluster_ctas();
  const int resident = multiprocessors * line.ctas_per_sm;
  const int most = task.max_ctas > 0 ? std::min(task.max_ctas, resident) : resident;
  return {tiles_of(task.m, line.block_m * line.cluster_m),
          tiles_of(task.n, line.block_n * line.cluster_n),
          static_cast<double>(std::max(1, most / ctas)),
          std::ceil(tiles_of(task.k, line.block_k) / line.cluster_k)};
}

/// Cycles of a k tile while nothing waits for memory, for each of `sharing` CTAs that share a
/// multiprocessor.
double k_tile_cycles(const MatmulLine& line, const MatmulCosts& costs, double sharing,
                     bool* by_l2) {
  const double rows = line.block_m;
  const double columns = line.block_n;
  const double element = 2;
  const double multiply =
      2 * rows * columns * line.block_k / (costs.flop_per_cycle * costs.tensor_share);
  // wgmma.m64nNk16 reads 64 x 16 of A and N x 16 of B.
  const double shared =
      rows / 64 * (64 + columns) * line.block_k * element / costs.shared_bytes_per_cycle;
  const double tensor = std::max(sharing * std::max(multiply, shared),
                                 std::max(multiply, shared) + (line.cluster_m * line.cluster_n > 1
                                                                   ? costs.cluster_k_tile_cycles
                                                                   : costs.k_tile_cycles));
  const double bytes = (rows / line.cluster_n + columns / line.cluster_m) * line.block_k * element;
  const double fill =
      sharing * bytes /
      (line.fill == Fill::threads ? costs.threads_fill_bytes_per_cycle : costs.l2_bytes_per_cycle);
  *by_l2 = fill > tensor;
  return std::max(tensor, fill);
}

}  // namespace

double memory_bytes(const MatmulLine& line, const MatmulTask& task, int multiprocessors,
                    const MatmulCosts& costs) {
  const Grid grid = grid_of(line, task, multiprocessors);
  const double element = 2;
  const double row_bytes = static_cast<double>(task.k) * element;
  const double a = static_cast<double>(task.m) * row_bytes;
  const double b = static_cast<double>(task.n) * row_bytes;
  constexpr int hilbert_rows = 16;  // about as many as a block of the curve has
  const int raster = task.raster == hilbert_raster ? hilbert_rows : task.raster;
  const double group =
      std::min(grid.m_tiles, static_cast<double>(std::max(1, raster / line.cluster_m)));
  const double wave_columns = std::min(grid.n_tiles, std::ceil(grid.clusters / group));
  const double a_panel = std::min(a, group * line.block_m * line.cluster_m * row_bytes);
  const double b_panel = std::min(b, wave_columns * line.block_n * line.cluster_n * row_bytes);
  const double groups = std::ceil(grid.m_tiles / group);
  const double waves = std::ceil(grid.n_tiles / wave_columns);
  const double a_reads = line.streams_b || a_panel + b_panel <= costs.l2_bytes ? 1 : waves;
  const double b_reads = a_panel + b <= costs.l2_bytes ? 1 : groups;
  double bytes = a * a_reads + b * b_reads;
  double d = bytes_of(task.d_type);
  for (int i = 0; i < task.steps; ++i) {
    const bool matrix = task.step[i].kind == EpilogueStep::Kind::residual ||
                        task.step[i].kind == EpilogueStep::Kind::store;
    d += matrix ? bytes_of(task.step[i].type) : 0;
  }
  bytes += static_cast<double>(task.m) * static_cast<double>(task.n) * d;
  return bytes * static_cast<double>(task.batch);
}

namespace {

/// Of a kernel that streams B: the chip's memory, or that of the CTAs that there are rows for.
MatmulEstimate streamed_estimate(const MatmulLine& line, const MatmulTask& task,
                                 int multiprocessors, double bytes, const MatmulCosts& costs) {
  const double most =
      task.max_ctas > 0 ? std::min(task.max_ctas, multiprocessors) : multiprocessors;
  const double ctas = std::min(tiles_of(task.n, line.block_n), most);
  const double rate = std::min(costs.stream_gb_per_second * 1e3,
                               ctas * costs.memory_bytes_per_cycle * costs.clock_ghz * 1e3);
  const double a_us = static_cast<double>(task.m * task.k) * 2 /
                      (costs.stream_a_bytes_per_cycle * costs.clock_ghz * 1e3);
  return {costs.stream_launch_us + a_us + bytes / rate, "memory"};
}

}  // namespace

MatmulEstimate estimate(const MatmulLine& line, const MatmulTask& task, int multiprocessors,
                        double bytes, const MatmulCosts& costs) {
  if (line.streams_b) {
    return streamed_estimate(line, task, multiprocessors, bytes, costs);
  }
  const Grid grid = grid_of(line, task, multiprocessors);
  const double tiles = grid.m_tiles * grid.n_tiles * static_cast<double>(task.batch);
  const bool streams = task.splits == stream_k;
  const double rest = std::fmod(tiles, grid.clusters);
  // Stream-K: what is left of the k tiles, evenly; a tile then has so many parts.
  const double parts = streams
                           ? (rest == 0 ? 1.0 : std::clamp(grid.clusters / rest, 1.0, grid.k_tiles))
                           : std::clamp(static_cast<double>(task.splits), 1.0, grid.k_tiles);
  const double ctas = line.cluster_ctas();
  const double busy = std::min(tiles * parts, grid.clusters) * ctas;
  const double sharing =
      std::clamp(std::ceil(busy / multiprocessors), 1.0, static_cast<double>(line.ctas_per_sm));
  bool by_l2 = false;
  const double k_tile = k_tile_cycles(line, costs, sharing, &by_l2);

  const double elements = static_cast<double>(line.block_m) * line.block_n;
  const double summing = line.ping_pong ? 1 : line.warpgroups;
  // CTAs that share a tile along K share its way out (warpline/cluster_sums.h).
  const double shares = std::min(line.cluster_k, line.block_n / 8);
  const double leave = costs.leave_cycles +
                       elements / shares / (summing * threads_per_warpgroup) *
                           (line.leave == Leave::threads ? costs.threads_leave_element_cycles
                                                         : costs.leave_element_cycles) +
                       (line.cluster_k == 1 ? 0
                                            : costs.cluster_hand_over_cycles +
                                                  elements / shares * (line.cluster_k - 1) *
                                                      sum_bytes / costs.cluster_bytes_per_cycle);
  // One stores while another multiplies.
  const bool overlaps = line.ping_pong || sharing > 1;
  const auto tile_cycles = [&](double k_tiles) {
    const double multiply = k_tiles * k_tile;
    return overlaps ? std::max(multiply, (multiply + leave) / 2) : multiply + leave;
  };
  // Whole rounds are not cut (persistent_schedule.h).
  const double whole_rounds =
      parts == 1 ? std::ceil(tiles / grid.clusters) : std::floor(tiles / grid.clusters);
  double cycles =
      costs.first_load_cycles + whole_rounds * tile_cycles(grid.k_tiles) + (overlaps ? leave : 0);
  const double cut = parts == 1 ? 0 : tiles - whole_rounds * grid.clusters;
  if (cut > 0) {
    const bool adds = task.any_order && parts > 2;
    const double sums = elements * sum_bytes / costs.partial_bytes_per_cycle;
    const double left = adds ? elements * sum_bytes / costs.added_bytes_per_cycle : sums;
    const double rounds = std::ceil(cut * parts / grid.clusters);
    cycles += rounds * (std::ceil(grid.k_tiles / parts) * k_tile + left) + costs.hand_over_cycles +
              (adds ? 1 : std::ceil(parts) - 1) * sums + leave;
  }
  const double multiply_us = cycles / (costs.clock_ghz * 1e3);

  const double loading = std::min(busy, static_cast<double>(multiprocessors));
  const double memory_rate =
      std::min(costs.memory_gb_per_second * 1e3,
               loading * costs.memory_bytes_per_cycle * costs.clock_ghz * 1e3);  // bytes per us
  const double memory_us = bytes / memory_rate;

  // Between the two the limits add up, in part.
  const auto square = [](double x) { return x * x; };
  const double both = std::sqrt(std::sqrt(square(square(multiply_us)) + square(square(memory_us))));
  return {costs.launch_us + both, memory_us > multiply_us ? "memory"
                                  : by_l2                 ? "L2"
                                                          : "tensor cores"};
}

}  // namespace warpline
