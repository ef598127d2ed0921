// Two kernels of two streams on a machine with one SM: each waits for what the other writes, so both must be resident at
// once, each with its own grid, parameters, barriers and shared memory.
#include <cuda_runtime.h>

#include "check.h"

__device__ unsigned sm_of_this_block() {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

// `turns` times: waits until the ball holds `mine`, then gives it to the other side.
__global__ void play(volatile unsigned* ball, unsigned mine, unsigned others, int turns, unsigned* sum, unsigned* sm) {
  __shared__ unsigned caught;
  if (threadIdx.x == 0) caught = 0;
  __syncthreads();
  for (int i = 0; i < turns; ++i) {
    if (threadIdx.x == 0) {
      while (*ball != mine) {
      }
      caught += mine;
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) *ball = others;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *sum = caught;
    *sm = sm_of_this_block();
  }
}

int main() {
  cudaDeviceProp properties;
  GOOD(cudaGetDeviceProperties(&properties, 0));
  CHECK(properties.multiProcessorCount == 1);
  unsigned* memory = nullptr;
  GOOD(cudaMalloc(&memory, 5 * sizeof *memory));
  unsigned host[5] = {7, 0, 0, 99, 99};
  GOOD(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice));
  cudaStream_t one, two;
  GOOD(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  GOOD(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  play<<<1, 64, 0, one>>>(memory, 5, 7, 10, memory + 1, memory + 3);
  play<<<1, 96, 0, two>>>(memory, 7, 5, 10, memory + 2, memory + 4);
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 7);
  CHECK(host[1] == 50);
  CHECK(host[2] == 70);
  CHECK(host[3] == 0 && host[4] == 0);
  return verdict();
}
