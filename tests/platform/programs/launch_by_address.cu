// Launches without <<<>>>: cudaLaunchKernel with an array of arguments, attributes set and read, a kernel chosen by a
// pointer, dynamic shared memory up to the limit.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void scale(int* data, int factor, double offset) {
  extern __shared__ int staged[];
  staged[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x] * factor + static_cast<int>(offset);
}

__global__ void negate(int* data, int, double) { data[threadIdx.x] = -data[threadIdx.x]; }

int main() {
  int host[4] = {1, 2, 3, 4}, *data = nullptr, factor = 10;
  double offset = 0.9999;
  cudaMalloc(&data, sizeof host);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  void* arguments[] = {&data, &factor, &offset};
  const void* kernels[] = {reinterpret_cast<const void*>(scale), reinterpret_cast<const void*>(negate)};
  for (const void* kernel : kernels) {
    std::printf("%s\n", cudaGetErrorName(cudaLaunchKernel(kernel, dim3(1), dim3(4), arguments, 16, nullptr)));
  }
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  for (int value : host) std::printf("%d ", value);
  int limit = 0;
  cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlock, 0);
  std::printf("\nat the limit: %s\n",
              cudaGetErrorName(cudaLaunchKernel(kernels[0], dim3(1), dim3(4), arguments, limit, nullptr)));
  std::printf("above: %s\n",
              cudaLaunchKernel(kernels[0], dim3(1), dim3(4), arguments, limit + 1, nullptr) == cudaSuccess ? "accepted"
                                                                                                           : "refused");
  cudaGetLastError();
  std::printf("no kernel: %s\n", cudaGetErrorName(cudaLaunchKernel(&factor, dim3(1), dim3(4), arguments, 0, nullptr)));
  cudaGetLastError();
  std::printf("set: %s\n",
              cudaGetErrorName(cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024)));
  cudaFuncSetCacheConfig(scale, cudaFuncCachePreferShared);
  cudaFuncAttributes attributes;
  std::printf("attributes: %s\n", cudaGetErrorName(cudaFuncGetAttributes(&attributes, kernels[0])));
  std::printf("static shared %zu\n", attributes.sharedSizeBytes);
  return 0;
}
