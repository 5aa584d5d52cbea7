// out[i] = factor * in[i]. A kernel of one's own: of Warpline it needs a pipeline, thread groups
// and a ring of store buffers, and nothing of matmul.
//
//   scaler   warps 0-3   multiply a chunk into a buffer, which the copy engine stores to `out`
//   loader   warp 4      has the copy engine fetch chunks of `in`, as many ahead as there are
//   stages
#pragma once

#include "warpline/launch.h"
#include "warpline/pipeline.h"
#include "warpline/store_ring.h"

namespace pipeline_alone::inline WARPLINE_TARGET {

struct Scale {
  static constexpr int chunk = 1024;
  using Chunk = warpline::SharedArray<float, chunk>;
  struct Stage {
    Chunk in;
  };
  struct Scaler {
    static constexpr warpline::RoleConfig config{.name = "scaler", .warps = 4};
  };
  struct Loader {
    static constexpr warpline::RoleConfig config{.name = "loader", .warps = 1};
  };
  using Roles = warpline::RoleList<Scaler, Loader>;
  using Ring =
      warpline::Pipeline<Stage, warpline::PipelineConfig{.stages = 3},
                         warpline::FilledByCopies<Loader>, warpline::ReadByThreads<Scaler>>;
  static constexpr warpline::LaunchConfig launch{.name = "scale"};

  struct Arguments {
    const float* in;  // on 16 bytes, like `out`: the copy engine's unit
    float* out;
    int64_t count;  // a multiple of 4, for the same reason
    float factor;
  };
  struct SharedMemory {
    Ring::Storage ring;
    Chunk out[2];
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    // This CTA's chunks are one grid apart.
    const int64_t first = int64_t{chunk} * warpline::isa::block_index().x;
    const int64_t step = int64_t{chunk} * warpline::isa::grid_size().x;
    const auto size_at = [&](int64_t begin) {
      const int64_t left = arguments.count - begin;
      return static_cast<int>(left < chunk ? left : chunk);
    };

    Ring ring(shared.ring);
    warpline::dispatch<Roles>(
        [&](const warpline::ThreadGroup<Roles, Loader>& group) {
          auto end = ring.producer(group);
          for (int64_t begin = first; begin < arguments.count; begin += step) {
            auto slot = end.acquire();
            slot.load(slot->in, arguments.in + begin, size_at(begin));
          }
        },
        [&](const warpline::ThreadGroup<Roles, Scaler>& group) {
          auto end = ring.consumer(group);
          warpline::StoreRing stores(shared.out, group);
          for (int64_t begin = first; begin < arguments.count; begin += step) {
            auto slot = end.acquire();
            Chunk& out = stores.acquire();
            const int size = size_at(begin);
            for (int i = static_cast<int>(group.thread_rank()); i < size; i += group.threads) {
              out.store(i, arguments.factor * slot->in.load(i));
            }
            stores.store(arguments.out + begin, size);
          }
        });
  }
};

}  // namespace pipeline_alone::inline WARPLINE_TARGET
