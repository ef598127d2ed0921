// Sums over a sliding window of the input: neighbouring thread blocks read mostly the same lines.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 64, kWindow = 192, kBlocks = 256;

__global__ void windows(const float* in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < kWindow; ++k) sum += in[i + k];
  out[i] = sum;
}

int main() {
  const int n = kThreads * kBlocks;
  std::vector<float> in(n + kWindow), out(n);
  for (int i = 0; i < n + kWindow; ++i) in[i] = static_cast<float>(i % 7);
  float *device_in = nullptr, *device_out = nullptr;
  cudaMalloc(&device_in, in.size() * sizeof(float));
  cudaMalloc(&device_out, out.size() * sizeof(float));
  cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  windows<<<kBlocks, kThreads>>>(device_in, device_out);
  const cudaError_t error = cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    std::printf("FAIL %s\n", cudaGetErrorString(error));
    return 1;
  }
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < kWindow; ++k) sum += in[i + k];
    wrong += sum != out[i] ? 1 : 0;
  }
  std::printf("%s %d sums, %d wrong\n", wrong == 0 ? "PASS" : "FAIL", n, wrong);
  return wrong == 0 ? 0 : 1;
}
