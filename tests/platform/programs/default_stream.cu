// The default stream waits for other streams and they wait for it, except those created as non-blocking. The kernels
// depend on each other only through that order.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void slow_set(int* p, int value, int rounds) {
  volatile int delay = 0;
  for (int i = 0; i < rounds; ++i) delay = delay + 1;
  *p = value;
}

__global__ void multiply_add(int* p, int factor, int summand) { *p = *p * factor + summand; }

int main() {
  int *p = nullptr, value = 0;
  cudaMalloc(&p, sizeof value);
  cudaMemset(p, 0, sizeof value);
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  slow_set<<<1, 1, 0, a>>>(p, 5, 1000);
  multiply_add<<<1, 1>>>(p, 10, 1);        // after a: 51
  multiply_add<<<1, 1, 0, b>>>(p, 10, 2);  // after the default stream: 512
  cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("%d\n", value);
  multiply_add<<<1, 1, 0, cudaStreamLegacy>>>(p, 2, 0);  // 1024
  multiply_add<<<1, 1, 0, b>>>(p, 1, -24);               // 1000
  cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, 0);
  cudaDeviceSynchronize();
  std::printf("%d\n", value);
  return 0;
}
