// Host threads that use the device at the same time, each with a stream of its own; the last error is kept per thread.
#include <cuda_runtime.h>

#include <cstdio>
#include <thread>
#include <vector>

__global__ void fill(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value + i;
}

void work(int number, int* wrong) {
  const int n = 1000;
  if (number == 2) fill<<<1, 5000>>>(nullptr, 0, 0);
  cudaStream_t stream;
  int *device = nullptr, *pinned = nullptr;
  cudaStreamCreate(&stream);
  cudaMalloc(&device, n * sizeof(int));
  cudaMallocHost(&pinned, n * sizeof(int));
  for (int round = 0; round < 5; ++round) {
    fill<<<8, 128, 0, stream>>>(device, n, number * 100000 + round);
    cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; ++i) *wrong += pinned[i] != number * 100000 + round + i;
  }
  *wrong += cudaGetLastError() != (number == 2 ? cudaErrorInvalidConfiguration : cudaSuccess);
  cudaFreeHost(pinned);
  cudaFree(device);
  cudaStreamDestroy(stream);
}

int main() {
  int wrong[4] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i, &wrong[i]);
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) std::printf("thread %d: %d wrong\n", i, wrong[i]);
  std::printf("main: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
