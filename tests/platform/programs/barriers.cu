// Barriers where not all threads are alike: threads that have left, warps with different numbers of rounds, a barrier
// in both arms of a branch that whole warps take, and a barrier in a loop.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void leave_early(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x >= 70) return;  // two whole warps and a part of one
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}

// Lanes of one warp leave in a nested branch and in a loop; those that stay meet at barriers and in a reduction.
__global__ void leave_inside(int* out) {
  __shared__ int sum;
  const int t = threadIdx.x;
  if (t == 0) sum = 0;
  __syncthreads();
  if (t % 2 == 1) {
    if (t > 40) return;
    atomicAdd(&sum, 100);
  }
  __syncthreads();
  for (int i = 0; i < 8; ++i) {
    if (i == 5 && t % 4 == 2) return;
    __syncthreads();
    if (t % 4 == 0) atomicAdd(&sum, 1);
  }
  __syncthreads();
  if (t >= 12) return;
  int part = t % 4 == 2 ? 0 : 1;
  part += __shfl_down_sync(0xffffffffu, part, 4);
  if (t == 0) {
    out[5] = sum;
    out[6] = part;
  }
}

__global__ void either_arm(int* out) {
  __shared__ int values[64];
  if (threadIdx.x / 32 == 0) {
    values[threadIdx.x] = 1;
    __syncthreads();
  } else {
    values[threadIdx.x] = 2;
    __syncthreads();
  }
  const int other = values[63 - threadIdx.x];
  if (threadIdx.x == 0) out[1] = other;
  if (threadIdx.x == 63) out[2] = other;
}

__global__ void in_a_loop(int* out, int rounds) {
  __shared__ int buffer[96];
  buffer[threadIdx.x] = threadIdx.x;
  for (int i = 0; i < rounds; ++i) {
    __syncthreads();
    const int next = buffer[(threadIdx.x + 1) % 96];
    __syncthreads();
    buffer[threadIdx.x] = next;
    if (i % 2 == 0 && threadIdx.x % 3 == 0) ++buffer[threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    out[3] = 0;
    for (int i = 0; i < 96; ++i) out[3] += buffer[i];
    out[4] = buffer[95];
  }
}

int main() {
  int *device = nullptr, host[7] = {};
  cudaMalloc(&device, sizeof host);
  leave_early<<<1, 128>>>(device);
  either_arm<<<1, 64>>>(device);
  leave_inside<<<1, 64>>>(device);
  in_a_loop<<<1, 96>>>(device, 5);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int value : host) std::printf("%d\n", value);
  return 0;
}
