// Single variables in shared memory that one thread writes and all read behind a barrier of each kind. Compilers that
// take a barrier for a call that changes no memory read them too early.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void broadcast(const int* in, int* out) {
  __shared__ int first, second, third, fourth;
  const int t = threadIdx.x, last = blockDim.x - 1;
  if (t == last) first = in[0];
  __syncthreads();
  int sum = first;
  if (t == last - 1) second = sum + in[1];
  const int count = __syncthreads_count(t > 1);
  sum = sum * 10 + second;
  if (t == last - 2) third = sum + count;
  __syncthreads_and(1);
  sum = sum * 10 + third;
  if (t == last - 3) fourth = sum;
  asm volatile("bar.sync 2;" ::: "memory");
  out[t] = sum + fourth;
}

__global__ void rounds(int* out, int n) {
  __shared__ int token;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == (i * 37 + 95) % blockDim.x) token = i;
    __syncthreads();
    sum += (token + 1) * (i + 1);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void inside_a_warp(int* out) {
  __shared__ int value;
  if (threadIdx.x == 31) value = 7;
  __syncwarp();
  const int before = value;
  __syncwarp();
  if (threadIdx.x == 30) value = before + 1;
  __syncwarp();
  out[threadIdx.x] = value * 10 + before;
}

void show(const char* what, const int* device, int n) {
  int host[128];
  cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost);
  int different = 0;
  for (int i = 1; i < n; ++i) different += host[i] != host[0];
  std::printf("%s: %d, %d threads differ\n", what, host[0], different);
}

int main() {
  const int values[2] = {3, 4};
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, sizeof values);
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  broadcast<<<1, 128>>>(in, out);
  show("broadcast", out, 128);
  rounds<<<1, 128>>>(out, 10);
  show("rounds", out, 128);
  inside_a_warp<<<1, 32>>>(out);
  show("inside a warp", out, 32);
  return 0;
}
