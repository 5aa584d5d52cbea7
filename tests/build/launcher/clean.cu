// Passes: the accumulators are left alone until the wait, and setmaxnreg has what it needs.
#include <cstdint>

__global__ void __launch_bounds__(128, 1) clean(float* out, std::uint64_t a, std::uint64_t b) {
  float d[4] = {};
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
