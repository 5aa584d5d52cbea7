// Loads by the copy engine of a size, or to a place, or with a map, that cannot be.
#pragma once

#include "tests/simulator/faults/copies.h"
#include "warpline/isa/tensor_copy.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct StageBounds : CopyFault {
  static constexpr FaultInfo info{.name = "stage-bounds",
                                  .seen = {.rule = "stage-bounds", .role = "loader"},
                                  .stage = 0,
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      isa::name_region(row, row_bytes, "stage", 0);
      isa::name_region(shared.row[1], row_bytes, "stage", 1);
      prepare(full, 1);
      const uint32_t bytes = Faulty ? row_bytes + 16 : row_bytes;
      isa::mbarrier_arrive_expect_tx(full, bytes);
      isa::bulk_load(row, args.in, bytes, full);  // <- caught: stage-bounds
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

struct CopyAlignment : CopyFault {
  static constexpr FaultInfo info{.name = "copy-alignment",
                                  .seen = {.rule = "copy-alignment", .role = "loader"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      int32_t* const place = &shared.row[0][Faulty ? args.one : 0];
      isa::mbarrier_arrive_expect_tx(full, 64);
      isa::bulk_load(place, args.in, 64, full);  // <- caught: copy-alignment
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

struct CopySize : CopyFault {
  static constexpr FaultInfo info{
      .name = "copy-size", .seen = {.rule = "copy-alignment", .role = "loader"}, .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    isa::Mbarrier& full = shared.full;
    int32_t* const row = shared.row[0];
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      const auto bytes = static_cast<uint32_t>(args.one) * (Faulty ? 72 : 64);
      isa::mbarrier_arrive_expect_tx(full, bytes);
      isa::bulk_load(row, args.in, bytes, full);  // <- caught: copy-size
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

struct CoordinateAlignment : CopyFault {
  static constexpr FaultInfo info{.name = "coordinate-alignment",
                                  .seen = {.rule = "coordinate-alignment", .role = "loader"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    FaultTileA* const tile = &shared.tile;
    isa::Mbarrier& full = shared.full;
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      // [coordinate_alignment]
      const int32_t column = Faulty ? args.one : 8 * args.one;
      isa::mbarrier_arrive_expect_tx(full, FaultTileA::bytes);
      isa::tensor_load<2>(tile, args.a, {column, 0}, full);  // <- caught: coordinate-alignment
      // [coordinate_alignment]
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

/// 128 bytes that nobody made a tensor map of.
struct NoTensorMap : CopyFault {
  static constexpr FaultInfo info{
      .name = "no-tensor-map", .seen = {.rule = "tensor-map", .role = "loader"}, .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    FaultTileA* const tile = &shared.tile;
    isa::Mbarrier& full = shared.full;
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      const auto* const words = reinterpret_cast<const isa::TensorMapWords*>(args.in);
      const isa::TensorMapWords& map = Faulty ? *words : args.a;
      isa::mbarrier_arrive_expect_tx(full, FaultTileA::bytes);
      isa::tensor_load<2>(tile, map, {0, 0}, full);  // <- caught: no-tensor-map
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

struct TensorMapRank : CopyFault {
  static constexpr FaultInfo info{.name = "tensor-map-rank",
                                  .seen = {.rule = "tensor-map", .role = "loader"},
                                  .file = __FILE__};
  template <bool Faulty>
  static WARPLINE_DEVICE void run(const FaultArguments& args, Shared& shared) {
    FaultTileA* const tile = &shared.tile;
    isa::Mbarrier& full = shared.full;
    if (isa::thread_index() == 0) {
      isa::enter_role("loader");
      prepare(full, 1);
      isa::mbarrier_arrive_expect_tx(full, FaultTileA::bytes);
      if constexpr (Faulty) {
        isa::tensor_load<3>(tile, args.a, {0, 0, 0}, full);  // <- caught: tensor-map-rank
      } else {
        isa::tensor_load<2>(tile, args.a, {0, 0}, full);
      }
      isa::wait(full, 0, {"loader", "full", 0});
    }
  }
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
