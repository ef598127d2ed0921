// Attributes of kernels, the 48 KB rule, occupancy against values by hand, limits, the error state, device reset.
// Runs on kepler_k20c: 13 SMs of 64 warps, 16 blocks, 65536 registers, 48 KB of shared memory; and on pascal_titanx.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

#include "check.h"

__device__ int generation = 5;

__global__ void tiny(int* out) {
  if (out != nullptr) out[0] += 1;
}
__global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = 1; }
__global__ void static_shared(int* out) {
  __shared__ int values[3000];
  values[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}
__global__ void dynamic_shared(int* out, int n) {
  extern __shared__ int values[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  if (threadIdx.x == 0) *out = sum;
}
__device__ void* volatile kept;  // the compiler must not do away with the allocation
__global__ void heap(int bytes, int* failed) {
  void* p = malloc(bytes);
  kept = p;
  if (kept == nullptr) *failed += 1;
}
/// Holds 80 values across a barrier, in more registers than 1024 threads can have.
__device__ unsigned digest_of(const unsigned* in) {
  unsigned values[80], digest = 0;
#pragma unroll
  for (int i = 0; i < 80; ++i) values[i] = in[i * blockDim.x + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 79; i >= 0; --i) digest = digest * 5 + values[i];
  return digest;
}
__global__ void hungry(const unsigned* in, unsigned* out) { out[threadIdx.x] = digest_of(in); }
__global__ void __launch_bounds__(256) hungry_256(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = digest_of(in);
}
__global__ void __launch_bounds__(1024) hungry_1024(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = digest_of(in);
}
__global__ void null_store(int* p) { *p = 1; }
__global__ void bump(int* out) { *out = ++generation; }

int blocks_of(const void* kernel, int threads, std::size_t shared) {
  int blocks = -1;
  GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  return blocks;
}

int least(int a, int b) { return a < b ? a : b; }

void attributes_and_occupancy(const cudaDeviceProp& p) {
  cudaFuncAttributes a;
  GOOD(cudaFuncGetAttributes(&a, tiny));
  CHECK(a.numRegs > 0 && a.numRegs <= 16 && a.sharedSizeBytes == 0 && a.localSizeBytes == 0);
  CHECK(a.maxThreadsPerBlock == 1024);
  GOOD(cudaFuncGetAttributes(&a, static_shared));
  CHECK(a.sharedSizeBytes == 12000);
  GOOD(cudaFuncGetAttributes(&a, bounded));
  CHECK(a.maxThreadsPerBlock == 128);

  // Few registers: limited by warps, blocks, or shared memory.
  const int warps = p.maxThreadsPerMultiProcessor / 32;
  const void* const kernel = reinterpret_cast<const void*>(tiny);
  CHECK(blocks_of(kernel, 1024, 0) == warps / 32);
  CHECK(blocks_of(kernel, 256, 0) == warps / 8);
  CHECK(blocks_of(kernel, 33, 0) == least(warps / 2, p.maxBlocksPerMultiProcessor));
  CHECK(blocks_of(kernel, 1, 0) == p.maxBlocksPerMultiProcessor);
  CHECK(blocks_of(kernel, 64, 20000) == static_cast<int>(p.sharedMemPerMultiprocessor / 20224));  // units of 256
  CHECK(blocks_of(kernel, 64, p.sharedMemPerBlockOptin + 1) == 0);
  CHECK(blocks_of(kernel, 64, std::size_t{1} << 32) == 0);
  CHECK(blocks_of(kernel, 1025, 0) == 0);
  int blocks = 0, size = 0, grid = 0;
  RETURNS(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tiny, 0, 0));
  RETURNS(cudaErrorInvalidDeviceFunction, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &blocks, 32, 0));
  GOOD(cudaOccupancyMaxPotentialBlockSize(&grid, &size, tiny, 0, 0));
  CHECK(size == 1024 && grid == p.multiProcessorCount * (warps / 32));
  GOOD(cudaOccupancyMaxPotentialBlockSize(&grid, &size, tiny, 0, 100));
  CHECK(size == (p.maxBlocksPerMultiProcessor >= 32 ? 64 : 100));  // 32 x 64 threads, or 16 x 100
  RETURNS(cudaErrorInvalidDeviceFunction, cudaGetLastError());
}

void shared_memory_rule(const cudaDeviceProp& p) {
  int *out = nullptr, sum = 0;
  GOOD(cudaMalloc(&out, 4096));
  CHECK(p.sharedMemPerBlock == 48 * 1024);
  dynamic_shared<<<1, 64, 48 * 1024>>>(out, 12288);
  GOOD(cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost));
  CHECK(sum == 12288 / 2 * 12287);
  dynamic_shared<<<1, 64, 48 * 1024 + 1>>>(out, 12288);
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
  if (p.sharedMemPerBlockOptin > 48 * 1024) {
    const int most = static_cast<int>(p.sharedMemPerBlockOptin);
    GOOD(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    dynamic_shared<<<1, 64, p.sharedMemPerBlockOptin>>>(out, most / 4);
    GOOD(cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost));
    CHECK(sum == most / 4 * (most / 4 - 1) / 2);
  }
  RETURNS(cudaErrorInvalidValue, cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                      static_cast<int>(p.sharedMemPerBlockOptin) + 1));
  RETURNS(cudaErrorInvalidValue, cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  // Static and dynamic count together.
  static_shared<<<1, 32, 48 * 1024 - 12000>>>(out);
  GOOD(cudaDeviceSynchronize());
  static_shared<<<1, 32, 48 * 1024 - 11999>>>(out);
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
  bounded<<<1, 129>>>(out);
  RETURNS(cudaErrorInvalidConfiguration, cudaGetLastError());
  GOOD(cudaDeviceSynchronize());  // refused launches leave nothing behind
  GOOD(cudaFree(out));
}

cudaFuncAttributes attributes_of(const void* kernel) {
  cudaFuncAttributes a;
  GOOD(cudaFuncGetAttributes(&a, kernel));
  return a;
}

// 65536 registers are 64 for each of 1024 threads. A kernel that needs more is compiled again when it is launched so.
void registers_rule() {
  const int threads = 1024;
  static unsigned in[80 * threads], digests[threads];
  for (int i = 0; i < 80 * threads; ++i) in[i] = 2654435761u * static_cast<unsigned>(i);
  unsigned *from = nullptr, *to = nullptr;
  GOOD(cudaMalloc(&from, sizeof in));
  GOOD(cudaMalloc(&to, sizeof digests));
  GOOD(cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice));
  const auto right = [&](int count) {
    GOOD(cudaMemcpy(digests, to, sizeof digests, cudaMemcpyDeviceToHost));
    GOOD(cudaMemset(to, 0, sizeof digests));
    bool good = true;
    for (int t = 0; t < count; ++t) {
      unsigned digest = 0;
      for (int i = 79; i >= 0; --i) digest = digest * 5 + in[i * count + t];
      good = good && digests[t] == digest;
    }
    return good;
  };
  const void* const kernel = reinterpret_cast<const void*>(hungry);
  const int registers = attributes_of(kernel).numRegs;
  CHECK(registers > 80 && attributes_of(kernel).localSizeBytes == 0);
  hungry<<<1, 512>>>(from, to);
  CHECK(right(512));
  // What would run is what occupancy tells; what runs is what attributes tell.
  CHECK(blocks_of(kernel, 512, 0) == 1 && blocks_of(kernel, 1024, 0) == 1);
  CHECK(attributes_of(kernel).numRegs == registers && attributes_of(kernel).maxThreadsPerBlock < 1024);
  int grid = 0, size = 0;
  GOOD(cudaOccupancyMaxPotentialBlockSize(&grid, &size, hungry, 0, 0));
  CHECK(size <= attributes_of(kernel).maxThreadsPerBlock);
  hungry<<<1, 1024>>>(from, to);
  CHECK(right(1024));
  CHECK(attributes_of(kernel).numRegs <= 64 && attributes_of(kernel).localSizeBytes > 0);
  CHECK(blocks_of(kernel, 512, 0) == 2 && attributes_of(kernel).maxThreadsPerBlock == 1024);
  // Bounds are obeyed: as compiled, or not at all.
  CHECK(attributes_of(reinterpret_cast<const void*>(hungry_256)).numRegs > 80);
  hungry_256<<<1, 1024>>>(from, to);
  RETURNS(cudaErrorInvalidConfiguration, cudaGetLastError());
  CHECK(attributes_of(reinterpret_cast<const void*>(hungry_256)).numRegs > 80);
  CHECK(attributes_of(reinterpret_cast<const void*>(hungry_1024)).numRegs <= 64);
  hungry_1024<<<1, 1024>>>(from, to);
  CHECK(right(1024));
  GOOD(cudaFree(from));
  GOOD(cudaFree(to));
}

void device_heap() {
  std::size_t limit = 0;
  GOOD(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  CHECK(limit == 8u << 20);
  int *failed = nullptr, got = 0;
  GOOD(cudaMalloc(&failed, 4));
  GOOD(cudaMemset(failed, 0, 4));
  for (int i = 0; i < 9; ++i) heap<<<1, 1>>>(1 << 20, failed);  // never freed: the ninth has no room
  GOOD(cudaMemcpy(&got, failed, 4, cudaMemcpyDeviceToHost));
  CHECK(got == 1);
  GOOD(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16u << 20));
  heap<<<1, 1>>>(1 << 20, failed);
  GOOD(cudaMemcpy(&got, failed, 4, cudaMemcpyDeviceToHost));
  CHECK(got == 1);
  RETURNS(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(static_cast<cudaLimit>(77), 1));
  GOOD(cudaDeviceReset());  // the heap is empty again
  GOOD(cudaMalloc(&failed, 4));
  GOOD(cudaMemset(failed, 0, 4));
  for (int i = 0; i < 8; ++i) heap<<<1, 1>>>(1 << 20, failed);
  GOOD(cudaMemcpy(&got, failed, 4, cudaMemcpyDeviceToHost));
  CHECK(got == 0);
  GOOD(cudaFree(failed));
}

void errors_and_reset() {
  int *out = nullptr, got = 0;
  cudaStream_t stream;
  GOOD(cudaMalloc(&out, 4));
  GOOD(cudaStreamCreate(&stream));
  bump<<<1, 1>>>(out);
  GOOD(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
  CHECK(got == 6);
  null_store<<<1, 1, 0, stream>>>(nullptr);
  RETURNS(cudaErrorIllegalAddress, cudaStreamSynchronize(stream));
  RETURNS(cudaErrorIllegalAddress, cudaPeekAtLastError());
  for (int i = 0; i < 3; ++i) RETURNS(cudaErrorIllegalAddress, cudaGetLastError());
  RETURNS(cudaErrorIllegalAddress, cudaMemset(out, 0, 4));
  RETURNS(cudaErrorIllegalAddress, cudaStreamQuery(stream));
  RETURNS(cudaErrorIllegalAddress, cudaFree(out));
  RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  bump<<<1, 1>>>(out);
  RETURNS(cudaErrorIllegalAddress, cudaGetLastError());
  GOOD(cudaDeviceReset());
  GOOD(cudaGetLastError());
  // Everything from before is gone; variables have their first values again.
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
  RETURNS(cudaErrorInvalidValue, cudaFree(out));
  RETURNS(cudaErrorInvalidValue, cudaGetLastError());
  GOOD(cudaMalloc(&out, 4));
  bump<<<1, 1>>>(out);
  GOOD(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
  CHECK(got == 6);
  GOOD(cudaFree(out));
}

void devices() {
  int count = 0, device = -1;
  GOOD(cudaGetDeviceCount(&count));
  GOOD(cudaGetDevice(&device));
  CHECK(count == 1 && device == 0);
  GOOD(cudaSetDevice(0));
  RETURNS(cudaErrorInvalidDevice, cudaSetDevice(1));
  RETURNS(cudaErrorInvalidDevice, cudaSetDevice(-1));
  cudaDeviceProp properties;
  RETURNS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 1));
  RETURNS(cudaErrorInvalidDevice, cudaGetLastError());
  CHECK(std::strcmp(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice") == 0);
  CHECK(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  CHECK(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0);
  CHECK(std::strcmp(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code") == 0);
}

int main() {
  cudaDeviceProp properties;
  GOOD(cudaGetDeviceProperties(&properties, 0));
  devices();
  attributes_and_occupancy(properties);
  shared_memory_rule(properties);
  registers_rule();
  device_heap();
  errors_and_reset();
  return verdict();
}
