// Fails with C7510: printf is called while the multiplication goes on.
#include <cstdint>
#include <cstdio>

__global__ void __launch_bounds__(128, 1)
    serialized(float* out, std::uint64_t a, std::uint64_t b, int steps) {
  float d[4] = {};
  for (int step = 0; step < steps; ++step) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    if (out[step] > 0) {
      printf("in flight\n");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
