// Fails with C7508: without launch bounds ptxas drops setmaxnreg.
__global__ void setmaxnreg_dropped(int* out) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  out[threadIdx.x] = 1;
}
