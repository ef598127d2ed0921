// Blocks that wait for their launches leave their place: registers, local and shared memory and barriers survive, more
// parents than the machine holds do not stand in the way of their children, and a fault stops those that wait.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void leaf(int* out, int by) { atomicAdd(out, by); }

__global__ void parent(int* sums, int* bad, int depth) {
  __shared__ int kept[64];
  int local[8];
  for (int i = 0; i < 8; ++i) local[i] = static_cast<int>(threadIdx.x * 8 + i) * 3 + static_cast<int>(blockIdx.x);
  const int value = static_cast<int>(threadIdx.x * 17 + blockIdx.x);
  kept[threadIdx.x] = value ^ 5;
  __syncthreads();
  volatile int* const mine = local;
  if (threadIdx.x == 0) {
    if (depth > 0)
      parent<<<2, 64>>>(sums, bad, depth - 1);
    else
      leaf<<<1, 32>>>(sums + 1, 1);
  }
  // One warp waits for the launch, the other at the barrier.
  if (threadIdx.x < 32 && cudaDeviceSynchronize() != cudaSuccess) atomicAdd(bad + 1, 1);
  __syncthreads();
  for (int i = 0; i < 8; ++i) {
    const int which = static_cast<int>(i + threadIdx.x) % 8;
    if (mine[which] != (static_cast<int>(threadIdx.x) * 8 + which) * 3 + static_cast<int>(blockIdx.x))
      atomicAdd(bad, 1);
  }
  const int other = static_cast<int>(threadIdx.x + 7) % 64;
  if (kept[other] != ((other * 17 + static_cast<int>(blockIdx.x)) ^ 5)) atomicAdd(bad, 1);
  if (value != static_cast<int>(threadIdx.x * 17 + blockIdx.x)) atomicAdd(bad, 1);
  if (threadIdx.x == 40) atomicAdd(sums, 1);
}

// A sum that comes back through memory: each level reads what its children wrote.
__global__ void add(int* values, int first, int count) {
  if (count == 1) return;
  const int half = count / 2;
  if (threadIdx.x == 0) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    add<<<1, 1>>>(values, first, half);
    add<<<1, 1, 0, stream>>>(values, first + half, count - half);
    cudaDeviceSynchronize();
    values[first] += values[first + half];
  }
}

__global__ void broken(int* out) { out[1 << 28] = 1; }
__global__ void waits(int* out) {
  if (blockIdx.x == 7 && threadIdx.x == 0) broken<<<1, 1>>>(out);
  if (threadIdx.x == 0) leaf<<<1, 32>>>(out, 1);
  cudaDeviceSynchronize();
  cudaDeviceSynchronize();
  if (blockIdx.x == 7 && threadIdx.x == 0) out[1] = 99;
}

int main() {
  int* out = nullptr;
  cudaMallocManaged(&out, 4096);
  cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 24);
  const int shapes[][2] = {{1, 0}, {1, 3}, {40, 0}, {40, 1}, {100, 2}, {1, 6}};
  for (const auto& shape : shapes) {
    for (int i = 0; i < 8; ++i) out[i] = 0;
    parent<<<shape[0], 64>>>(out, out + 4, shape[1]);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%d blocks, depth %d: %s, %d blocks came back, %d leaves, %d values wrong, %d waits refused\n",
                shape[0], shape[1], cudaGetErrorName(error), out[0], out[1], out[4], out[5]);
  }
  for (int i = 0; i < 300; ++i) out[i] = i;
  add<<<1, 32>>>(out, 0, 300);
  std::printf("sum: %s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), out[0]);
  out[0] = out[1] = 0;
  waits<<<200, 64>>>(out);
  std::printf("fault: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), out[1]);
  cudaDeviceReset();
  cudaMallocManaged(&out, 4096);
  for (int i = 0; i < 8; ++i) out[i] = 0;
  parent<<<3, 64>>>(out, out + 4, 1);
  std::printf("after a reset: %s, %d blocks came back\n", cudaGetErrorName(cudaDeviceSynchronize()), out[0]);
  return 0;
}
