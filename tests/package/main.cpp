// A user's program, compiled by the C++ compiler alone: a kernel of its own on the simulator, and a
// matmul of the installed library.
#include <cuda_fp16.h>
#include <matmul/catalog.h>
#include <warpline/launch.h>
#include <warpline/pipeline.h>

#include <cstdio>
#include <vector>

namespace outside::inline WARPLINE_TARGET {

/// out[0] = the sum of in[0 .. 256 * chunks).
struct Sum {
  struct Stage {
    warpline::SharedArray<int, 256> in;
  };
  struct Adder {
    static constexpr warpline::RoleConfig config{.name = "adder", .warps = 1};
  };
  struct Loader {
    static constexpr warpline::RoleConfig config{.name = "loader", .warps = 1};
  };
  using Roles = warpline::RoleList<Adder, Loader>;
  using Ring = warpline::Pipeline<Stage, warpline::PipelineConfig{.stages = 2},
                                  warpline::FilledByCopies<Loader>, warpline::ReadByThreads<Adder>>;
  using SharedMemory = Ring::Storage;
  struct Arguments {
    const int* in;
    int* out;
    int chunks;
  };
  static constexpr warpline::LaunchConfig launch{.name = "sum"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    Ring ring(shared);
    warpline::dispatch<Roles>(
        [&](const warpline::ThreadGroup<Roles, Loader>& group) {
          auto end = ring.producer(group);
          const int* in = args.in;
          for (auto slot : end.fill(args.chunks)) {
            slot.load(slot->in, in);
            in += 256;
          }
        },
        [&](const warpline::ThreadGroup<Roles, Adder>& group) {
          auto end = ring.consumer(group);
          unsigned sum = 0;
          for (auto slot : end.read(args.chunks)) {
            for (unsigned i = group.thread_rank(); i < 256; i += 32) {
              sum += static_cast<unsigned>(slot->in.load(static_cast<int>(i)));
            }
          }
          for (unsigned distance = 16; distance != 0; distance /= 2) {
            sum += warpline::isa::shuffle_xor(sum, distance);
          }
          if (group.leader()) {
            warpline::isa::store_global(args.out, static_cast<int>(sum));
          }
        });
  }
};

}  // namespace outside::inline WARPLINE_TARGET

int main() {
  alignas(16) int in[5 * 256];
  int expected = 0;
  for (int i = 0; i < 5 * 256; ++i) {
    in[i] = i % 7;
    expected += in[i];
  }
  int sum = -1;
  warpline::launch<outside::Sum>(warpline::Stream{}, {1, 1, 1}, {in, &sum, 5});

  // Ones: every element of the product is K.
  constexpr int size = 40;
  const std::vector<__half> ones(size * size, __float2half(1.0f));
  std::vector<__half> product(size * size, __float2half(-1.0f));
  const warpline::MatmulPlan plan(
      warpline::simulator_matmul_kernels().front(),
      {ones.data(), ones.data(), product.data(), size, size, size, size, size, size});
  plan.run();
  for (const __half element : product) {
    if (__half2float(element) != size) {
      std::puts("wrong product");
      return 1;
    }
  }
  std::puts(sum == expected ? "built outside" : "wrong sum");
  return sum == expected ? 0 : 1;
}
