// The kernel of README.md, which quotes what stands between the [markers]
// (tests/build/check_docs.py compares).
#pragma once

#include "warpline/epilogue.h"
#include "warpline/launch.h"
#include "warpline/make_tensor_map.h"
#include "warpline/pipeline.h"

namespace example::inline WARPLINE_TARGET {

using namespace warpline;  // NOLINT(google-build-using-namespace): as users have it

// One line for each small struct:
// clang-format off
// [kernel]
struct Matmul {  // C[M,N] = A[M,K] * B[N,K]^T, fp16; one 128 x 128 tile of C per CTA
  using Tile = SharedTile<__half, 128, 64>;
  struct Stage { Tile a, b; };
  struct Arguments { TensorMap<Tile> a, b; MatrixView<__half> c; int k; };

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
  };
  struct Producer { static constexpr RoleConfig config{.name = "producer", .warps = 1}; };
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = 2},
                        FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  using SharedMemory = Ring::Storage;
  static constexpr LaunchConfig launch{.name = "matmul", .min_ctas_per_sm = 2};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    const int m = static_cast<int>(isa::block_index().x) * Tile::rows;
    const int n = static_cast<int>(isa::block_index().y) * Tile::rows;
    Ring ring(shared);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (int k = 0; k < args.k; k += Tile::columns) {
            auto slot = end.acquire();           // waits until the stage is empty
            slot.load(slot->a, args.a, {m, k});  // announces the bytes of a and b, loads a
            slot.load(slot->b, args.b, {n, k});
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          Accumulator<128, 128> sum;
          for (auto slot : end.read((args.k + Tile::columns - 1) / Tile::columns)) {
            slot.release_after(mma(sum, slot->a, slot->b));  // waits for wgmma, frees the stage
          }
          store(sum, args.c, m, n, group.thread_rank());
        });
  }
};
// [kernel]
// clang-format on

// [host]
inline void matmul(const Stream& stream, const MatrixView<__half>& a, const MatrixView<__half>& b,
                   const MatrixView<__half>& c) {
  const Matmul::Arguments args{.a = make_tensor_map<Matmul::Tile>(a, "A"),
                               .b = make_tensor_map<Matmul::Tile>(b, "B"),
                               .c = c,
                               .k = static_cast<int>(a.columns)};
  const auto tiles = [](int64_t rows) { return static_cast<uint32_t>((rows + 127) / 128); };
  launch<Matmul>(stream, {tiles(c.rows), tiles(c.columns), 1}, args);
}
// [host]

}  // namespace example::inline WARPLINE_TARGET
