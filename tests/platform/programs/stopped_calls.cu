// A kernel is stopped by a fault while other warps are in calls into the runtime: after a reset the device works.

#include <cstdio>

__device__ void* volatile last;

__global__ void stopped(int delay) {
  if (threadIdx.x < 32) {
    for (int i = 0; i < delay; ++i) asm volatile("");
    asm volatile("trap;");
  }
  for (;;) {
    void* const place = malloc(16);
    last = place;
    free(place);
  }
}

__global__ void sum(int* total) { atomicAdd(total, static_cast<int>(threadIdx.x)); }

int main() {
  for (int delay = 0; delay < 24; ++delay) {
    stopped<<<4, 256>>>(7 * delay);
    const cudaError_t fault = cudaDeviceSynchronize();
    const cudaError_t reset = cudaDeviceReset();
    int *total, result = 0;
    cudaMallocManaged(&total, sizeof *total);
    *total = 0;
    sum<<<2, 64>>>(total);
    const cudaError_t after = cudaDeviceSynchronize();
    if (after == cudaSuccess) result = *total;
    std::printf("%s, reset: %s, then %s: %d\n", cudaGetErrorName(fault), cudaGetErrorName(reset),
                cudaGetErrorName(after), result);
  }
}
