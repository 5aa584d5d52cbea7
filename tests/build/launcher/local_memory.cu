// Fails: an array that is written at a run-time index lives in local memory.
__global__ void local_memory(int* out, int n) {
  int values[32] = {};
  for (int i = 0; i < n; ++i) {
    values[out[i] & 31] += i;
  }
  out[threadIdx.x] = values[threadIdx.x & 31];
}
