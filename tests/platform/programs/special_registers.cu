// Built-in variables and special registers in a grid and block of three dimensions, and clocks that move forward.
#include <cuda_runtime.h>

#include <cstdio>

#define REGISTER(function, text)                          \
  __device__ unsigned function() {                        \
    unsigned value;                                       \
    asm volatile("mov.u32 %0, %" text ";" : "=r"(value)); \
    return value;                                         \
  }
REGISTER(lane, "%laneid")
REGISTER(lanes_below, "%lanemask_lt")
REGISTER(lanes_above_or_here, "%lanemask_ge")
REGISTER(warp_width, "%nwarpid")
REGISTER(processor, "%smid")
REGISTER(processors, "%nsmid")

__global__ void where() {
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (blockIdx.x == 1 && blockIdx.y == 2 && blockIdx.z == 1 && thread % 20 == 5) {
    printf("thread %u %u %u of %u %u %u, block %u %u %u of %u %u %u: lane %u below %08x above %08x\n", threadIdx.x,
           threadIdx.y, threadIdx.z, blockDim.x, blockDim.y, blockDim.z, blockIdx.x, blockIdx.y, blockIdx.z, gridDim.x,
           gridDim.y, gridDim.z, lane(), lanes_below(), lanes_above_or_here());
  }
}

__global__ void time() {
  const clock_t before = clock();
  const long long wide_before = clock64();
  volatile int x = 0;
  for (int i = 0; i < 10; ++i) x = x + 1;
  const long long wide_after = clock64();
  const clock_t after = clock();
  printf("clock %s, clock64 %s\n", after > before ? "moves" : "stands", wide_after > wide_before ? "moves" : "stands");
  printf("processor %s, warps %s, warp size %d\n", processor() < processors() ? "in range" : "out of range",
         warp_width() > 0 ? "some" : "none", warpSize);
}

int main() {
  where<<<dim3(2, 3, 2), dim3(5, 4, 3)>>>();
  time<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
