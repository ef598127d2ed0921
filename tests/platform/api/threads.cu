// Several host threads; the last error of each; the caller's floating-point environment.
#include <cuda_runtime.h>
#include <pthread.h>

#include <cfenv>
#include <cmath>
#include <thread>
#include <vector>

#include "check.h"

__global__ void add(int* p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += value;
}
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void divide(float* out, float a, float b) { *out = a / b; }

void worker(int which, int* wrong) {
  cudaStream_t stream;
  int* device = nullptr;
  std::vector<int> host(257, which);
  if (cudaStreamCreate(&stream) != cudaSuccess || cudaMalloc(&device, 257 * 4) != cudaSuccess) ++*wrong;
  for (int round = 0; round < 10; ++round) {
    if (cudaMemcpyAsync(device, host.data(), 257 * 4, cudaMemcpyHostToDevice, stream) != cudaSuccess) ++*wrong;
    add<<<5, 64, 0, round % 2 == 0 ? stream : cudaStreamPerThread>>>(device, 257, round);
    if (cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess) ++*wrong;
    if (cudaMemcpyAsync(host.data(), device, 257 * 4, cudaMemcpyDeviceToHost, stream) != cudaSuccess) ++*wrong;
    if (cudaStreamSynchronize(stream) != cudaSuccess) ++*wrong;
  }
  for (int value : host)
    if (value != which + 45) ++*wrong;
  // Errors belong to the thread that made them.
  if (cudaPeekAtLastError() != cudaSuccess) ++*wrong;
  if (cudaMalloc(static_cast<void**>(nullptr), which + 1) != cudaErrorInvalidValue) ++*wrong;
  if (cudaGetLastError() != cudaErrorInvalidValue || cudaGetLastError() != cudaSuccess) ++*wrong;
  if (cudaFree(device) != cudaSuccess || cudaStreamDestroy(stream) != cudaSuccess) ++*wrong;
}

int main() {
  constexpr int kThreads = 8;
  int wrong[kThreads] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(worker, i, &wrong[i]);
  for (std::thread& thread : threads) thread.join();
  for (int count : wrong) CHECK(count == 0);
  GOOD(cudaGetLastError());

  // One thread waits for a kernel that ends only when another thread writes the flag.
  int* flag = nullptr;
  GOOD(cudaMallocManaged(&flag, 4));
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  std::thread waiting([&] { GOOD(cudaDeviceSynchronize()); });
  int* other = nullptr;
  GOOD(cudaMalloc(&other, 16));  // goes through while the other thread waits
  cudaStream_t stream;
  GOOD(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const int one = 1;
  GOOD(cudaMemcpyAsync(flag, &one, 4, cudaMemcpyDefault, stream));
  waiting.join();

  // Rounding mode and exception flags are the caller's before and after; results are not affected by them.
  float *out = nullptr, quotient = 0;
  GOOD(cudaMalloc(&out, 4));
  std::fesetround(FE_UPWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  divide<<<1, 1>>>(out, 1.0f, 3.0f);
  GOOD(cudaMemcpy(&quotient, out, 4, cudaMemcpyDeviceToHost));
  CHECK(std::fegetround() == FE_UPWARD);
  CHECK(std::fetestexcept(FE_ALL_EXCEPT) == FE_OVERFLOW);
  std::fesetround(FE_TONEAREST);
  CHECK(quotient == 0x1.555556p-2f);
  GOOD(cudaFree(out));
  return verdict();
}
