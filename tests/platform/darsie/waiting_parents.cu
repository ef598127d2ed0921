// Thread blocks that wait for kernels they have launched, with values that their warps share by a fetch filter: what was
// computed before the wait is used behind it. On a machine whose SMs are full of them they have to leave.

#include <cstdio>
#include <vector>

#define CUDA_OK(call)                                                                                     \
  do {                                                                                                    \
    const cudaError_t error = call;                                                                       \
    if (error != cudaSuccess) {                                                                           \
      std::printf("FAIL %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                     \
      return 1;                                                                                           \
    }                                                                                                     \
  } while (0)

constexpr unsigned kBlocks = 24, kThreads = 128;

__device__ __host__ unsigned mixed(const unsigned* table, unsigned x, unsigned turns) {
  unsigned value = x * 23 + 5;
  for (unsigned i = 0; i < turns; ++i) value = value * 3 + table[(value ^ x) % 16] + i;
  return value;
}

__global__ void child(unsigned* counts, unsigned block) { atomicAdd(&counts[block], threadIdx.x + 1); }

__global__ void parent(const unsigned* table, unsigned* out, unsigned* counts, unsigned turns) {
  const unsigned x = threadIdx.x, thread = threadIdx.y * blockDim.x + x;
  const unsigned before = mixed(table, x, turns), more = before * 7 + table[x % 16], third = more ^ (x << 4);
  if (thread == 0) child<<<2, 32>>>(counts, blockIdx.x);
  cudaDeviceSynchronize();
  __syncthreads();
  const unsigned counted = *static_cast<volatile unsigned*>(&counts[blockIdx.x]);
  const unsigned behind = mixed(table, x + third % 5, turns);
  out[blockIdx.x * kThreads + thread] = before + more * 3 + third + behind * counted + thread;
}

int main() {
  std::vector<unsigned> table(16), out(kBlocks * kThreads);
  for (unsigned i = 0; i < 16; ++i) table[i] = i * i + 11;
  unsigned *device_table, *device_out, *counts;
  CUDA_OK(cudaMalloc(&device_table, 16 * sizeof(unsigned)));
  CUDA_OK(cudaMalloc(&device_out, out.size() * sizeof(unsigned)));
  CUDA_OK(cudaMalloc(&counts, kBlocks * sizeof(unsigned)));
  CUDA_OK(cudaMemset(counts, 0, kBlocks * sizeof(unsigned)));
  CUDA_OK(cudaMemcpy(device_table, table.data(), 16 * sizeof(unsigned), cudaMemcpyHostToDevice));
  constexpr unsigned kTurns = 9;
  parent<<<kBlocks, dim3(16, kThreads / 16)>>>(device_table, device_out, counts, kTurns);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaMemcpy(out.data(), device_out, out.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  constexpr unsigned kCounted = 2 * 32 * 33 / 2;
  for (unsigned i = 0; i < out.size(); ++i) {
    const unsigned thread = i % kThreads, x = thread % 16;
    const unsigned before = mixed(table.data(), x, kTurns), more = before * 7 + table[x % 16], third = more ^ (x << 4);
    const unsigned behind = mixed(table.data(), x + third % 5, kTurns);
    const unsigned expected = before + more * 3 + third + behind * kCounted + thread;
    if (out[i] == expected) continue;
    std::printf("FAIL thread %u of block %u has %u, not %u\n", thread, i / kThreads, out[i], expected);
    return 1;
  }
  std::printf("PASS waiting_parents\n");
  return 0;
}
