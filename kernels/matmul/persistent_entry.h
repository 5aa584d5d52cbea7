// The host side of the persistent kernels: a problem becomes arguments, grid and workspace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "matmul/cluster_split.h"
#include "matmul/line.h"
#include "matmul/out_by_copies.h"
#include "matmul/out_by_steps.h"
#include "matmul/persistent.h"
#include "matmul/ping_pong.h"
#include "warpline/describe.h"
#include "warpline/make_tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T, PersistentConfig Config, Leave Way>
struct PersistentLine {
  /// Warpgroups that sum one tile, and the rows of each one's accumulator.
  static constexpr int summing = Config.ping_pong ? 1 : Config.warpgroups;
  static constexpr int rows = Config.block_m / summing;
  /// Columns of what one CTA hands to `Out`.
  static constexpr int columns = Config.block_n / cluster_shares(Config.block_n, Config.cluster_k);
  using Operands = MatmulOperands<T, Config>;
  /// Columns of a step's piece: half as many where registers go to a producer that fills.
  static constexpr int piece = Config.fill == Fill::threads && Config.warpgroups > 1 ? 32 : 64;
  using Out = std::conditional_t<
      Way == Leave::threads, OutBySteps<rows, columns, piece>,
      OutByCopies<T, Way == Leave::copies_transposed, Config.warpgroups, rows, columns>>;
  using Kernel =
      std::conditional_t<Config.cluster_k != 1, ClusterSplitMatmul<T, Config, Out>,
                         std::conditional_t<Config.ping_pong, PingPongMatmul<T, Config, Out>,
                                            PersistentMatmul<T, Config, Out>>>;

  /// A grid and what its clusters do.
  struct Layout {
    PersistentSchedule schedule;
    int clusters;
  };

  /// Tiles that fit on 132 multiprocessors are about as many in each direction.
  static constexpr int hilbert_side = 16;

  static int tiles_of(std::int64_t extent, int block) {
    return static_cast<int>((extent + block - 1) / block);
  }

  /// `Started` is the kernel that will run: as many of its clusters as fit together.
  template <class Started = Kernel>
  static Layout layout_of(const MatmulTask& task) {
    constexpr int ctas = Config.cluster_m * Config.cluster_n * Config.cluster_k;
    PersistentSchedule schedule{
        .order = {.grouped = {.m_tiles = tiles_of(task.m, Config.block_m * Config.cluster_m),
                              .n_tiles = tiles_of(task.n, Config.block_n * Config.cluster_n),
                              .group_rows = std::max(1, task.raster / Config.cluster_m)},
                  .hilbert_side = task.raster == hilbert_raster ? hilbert_side : 0},
        .batch = static_cast<int>(task.batch),
        .k_tiles = tiles_of(task.k, Config.block_k),
        .clusters = 1,
        .whole_tiles = 0,
        .parts = 1,
        .any_order = task.any_order};
    const GroupedRaster& grid = schedule.order.grouped;
    const std::int64_t tiles = std::int64_t{grid.m_tiles} * grid.n_tiles * task.batch;
    const bool streams = task.splits == stream_k;
    schedule.parts = streams ? 1 : std::clamp(task.splits, 1, schedule.k_tiles);
    if (Config.cluster_k > 1 && task.splits != 1) {
      throw Error("the kernel shares K among the CTAs of its cluster: it takes no splits");
    }
    if (tiles * schedule.parts > 0x7fffffff) {
      throw Error("the problem has " + std::to_string(tiles) + " tiles of " +
                  std::to_string(Config.block_m) + " x " + std::to_string(Config.block_n) +
                  "; 2^31 - 1 are possible");
    }
    const int resident = resident_clusters<Started>();
    const int most = task.max_ctas > 0 ? std::clamp(task.max_ctas / ctas, 1, resident) : resident;
    schedule.parts = std::min(schedule.parts, most);
    schedule.clusters = most / schedule.parts * schedule.parts;
    // Whole rounds need no cuts: only what would leave clusters idle in the last one.
    const std::int64_t whole = tiles / schedule.clusters * schedule.clusters;
    const std::int64_t left = (tiles - whole) * schedule.k_tiles;
    if (streams && left >= schedule.clusters && left <= 0x7fffffff) {
      schedule.parts = 0;
    }
    schedule.whole_tiles = static_cast<int>(schedule.parts == 1 ? tiles : whole);
    return {schedule, std::min(schedule.clusters, schedule.count())};
  }

  /// The counters' place does not depend on kernel or problem, so that plans may share a workspace:
  /// sums of one are never counters of another. Fewer tiles are cut than clusters run together.
  static constexpr std::size_t counter_bytes = 16384;

  static std::size_t workspace_bytes(const MatmulTask& task) {
    const PersistentSchedule schedule = layout_of(task).schedule;
    if (schedule.parts == 1 || schedule.cut_tiles() == 0) {
      return 0;
    }
    if (static_cast<std::size_t>(schedule.cut_tiles()) * Config.cluster_m * Config.cluster_n *
            summing * sizeof(std::uint32_t) >
        counter_bytes) {
      throw Error("split K: " + std::to_string(schedule.cut_tiles()) +
                  " tiles would be cut, more than there are counters for");
    }
    return counter_bytes + static_cast<std::size_t>(schedule.sums()) * Config.cluster_m *
                               Config.cluster_n * Config.block_m * Config.block_n * sizeof(float);
  }

  /// The matrix that tiles of an operand are cut from: K-major, rows are M (or N).
  static MatrixView<const T> view(const MatmulTask::Operand& operand, std::int64_t extent,
                                  std::int64_t k, isa::Major major) {
    const T* const data = static_cast<const T*>(operand.data);
    return major == isa::Major::k ? MatrixView<const T>{data, extent, k, operand.mn_stride}
                                  : MatrixView<const T>{data, k, extent, operand.k_stride};
  }

  static auto operands_of(const MatmulTask& task) {
    if constexpr (Config.fill == Fill::threads) {
      return typename InByThreads<Operands>::Arguments{lines_of(task.a, task.m, task.k, "M"),
                                                       lines_of(task.b, task.n, task.k, "N")};
    } else {
      return typename Operands::Arguments{
          make_batched_tensor_map<typename Operands::ATile>(view(task.a, task.m, task.k, Config.a),
                                                            task.batch, task.a.batch_stride, "A"),
          make_batched_tensor_map<typename Operands::BTile>(view(task.b, task.n, task.k, Config.b),
                                                            task.batch, task.b.batch_stride, "B"),
          task.a.batch_stride == 0 ? 0 : 1, task.b.batch_stride == 0 ? 0 : 1};
    }
  }

  /// Lines along what is contiguous; along K if nothing is.
  static LinesOperand lines_of(const MatmulTask::Operand& operand, std::int64_t extent,
                               std::int64_t k, const char* name) {
    constexpr std::int64_t bytes = sizeof(T);
    // The stride of a single element is never used.
    const bool along_k =
        operand.k_stride == 1 || k == 1 || !(operand.mn_stride == 1 || extent == 1);
    const std::int64_t k_stride = k == 1 ? 1 : operand.k_stride;
    const std::int64_t mn_stride = extent == 1 ? 1 : operand.mn_stride;
    const int k_extent = extent_of(k, "K");
    const int mn_extent = extent_of(extent, name);
    LinesOperand lines{.data = static_cast<const unsigned char*>(operand.data),
                       .line_bytes = (along_k ? mn_stride : k_stride) * bytes,
                       .position_bytes = (along_k ? k_stride : mn_stride) * bytes,
                       .batch_bytes = operand.batch_stride * bytes,
                       .lines = along_k ? mn_extent : k_extent,
                       .length = along_k ? k_extent : mn_extent,
                       .along_k = along_k,
                       .dense_bytes = 0};
    const std::int64_t length_bytes = lines.length * bytes;
    if (lines.position_bytes == bytes && lines.line_bytes <= length_bytes) {
      lines.dense_bytes = (lines.lines - 1) * lines.line_bytes + length_bytes;
    }
    return lines;
  }

  static typename Out::Arguments out_of(const MatmulTask& task) {
    if constexpr (Way == Leave::threads) {
      typename Out::Arguments out{.rows = extent_of(task.m, "M"),
                                  .columns = extent_of(task.n, "N"),
                                  .alpha = task.alpha,
                                  .steps = task.steps + 1,
                                  .step = {}};
      std::copy_n(task.step, task.steps, out.step);
      out.step[task.steps] = {.kind = EpilogueStep::Kind::store,
                              .type = task.d_type,
                              .data = task.d,
                              .row_stride = task.d_row_stride,
                              .column_stride = task.d_column_stride,
                              .batch_stride = task.d_batch_stride};
      return out;
    } else {
      constexpr bool transposed = Way == Leave::copies_transposed;
      const MatrixView<T> d{static_cast<T*>(task.d), transposed ? task.n : task.m,
                            transposed ? task.m : task.n,
                            transposed ? task.d_column_stride : task.d_row_stride};
      return {make_batched_tensor_map<typename Out::Tile>(d, task.batch, task.d_batch_stride, "D",
                                                          MapUse::store),
              task.alpha};
    }
  }

  /// Tiles that hang over an edge have coordinates beyond it.
  static int extent_of(std::int64_t extent, const char* name) {
    constexpr std::int64_t most = 0x7fffffff - 512;
    if (extent > most) {
      throw Error(std::string(name) + " is " + std::to_string(extent) + "; a kernel takes " +
                  std::to_string(most));
    }
    return static_cast<int>(extent);
  }

  static void encode(const MatmulTask& task, void* memory) {
    isa::require_output_pointer(task.d, "D");
    prepare<Kernel>();
    const PersistentSchedule schedule = layout_of(task).schedule;
    if constexpr (Config.cluster_k > 1) {
      new (memory) typename Kernel::Arguments{
          .operands = operands_of(task), .out = out_of(task), .schedule = schedule};
    } else {
      auto* const workspace = static_cast<unsigned char*>(task.workspace);
      new (memory) typename Kernel::Arguments{
          .operands = operands_of(task),
          .out = out_of(task),
          .schedule = schedule,
          .partial = {.sums = reinterpret_cast<float*>(
                          workspace == nullptr ? nullptr : workspace + counter_bytes),
                      .arrived = reinterpret_cast<std::uint32_t*>(workspace)}};
    }
  }

  static void launch(const MatmulTask& task, const Place& place, const void* memory) {
    const auto& arguments = *static_cast<const typename Kernel::Arguments*>(memory);
    const auto clusters = static_cast<std::uint32_t>(layout_of(task).clusters);
    warpline::launch<Kernel>(
        isa::stream_of(place.stream(), place.options()),
        {clusters * static_cast<std::uint32_t>(Config.cluster_m * Config.cluster_k),
         static_cast<std::uint32_t>(Config.cluster_n), 1},
        arguments, {.dependent = task.dependent_launch});
  }

  static constexpr Contiguous contiguous(isa::Major major) {
    return major == isa::Major::k ? Contiguous::k : Contiguous::mn;
  }

  static constexpr MatmulLine line(const char* name) {
    return {.name = name,
            .type = std::is_same_v<T, __half> ? ElementType::fp16 : ElementType::bf16,
            .a = contiguous(Config.a),
            .b = contiguous(Config.b),
            .fill = Config.fill,
            .leave = Way,
            .block_m = Config.block_m,
            .block_n = Config.block_n,
            .block_k = Config.block_k,
            .stages = Config.stages,
            .cluster_m = Config.cluster_m,
            .cluster_n = Config.cluster_n,
            .cluster_k = Config.cluster_k,
            .ctas_per_sm = Config.ctas_per_sm,
            .warpgroups = Config.warpgroups,
            .ping_pong = Config.ping_pong,
            .argument_bytes = sizeof(typename Kernel::Arguments),
            .workspace_bytes = workspace_bytes,
            .encode = encode,
            .launch = launch,
            .describe = describe<Kernel>};
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
