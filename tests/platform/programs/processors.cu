// Work on every SM of the machine: as many blocks as SMs wait for each other, one per SM; each launches a kernel; the
// host reads the SM numbers.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__device__ unsigned arrived;

__global__ void child(unsigned* seen, unsigned parent) { atomicAdd(&seen[parent], parent * 3 + 1); }

__global__ void parent(unsigned* sms, unsigned* seen, unsigned blocks) {
  // Shared memory of more than half an SM: no SM holds two blocks.
  extern __shared__ unsigned room[];
  room[threadIdx.x] = blockIdx.x;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  sms[room[threadIdx.x]] = sm;
  atomicAdd(&arrived, 1);
  while (atomicAdd(&arrived, 0) < blocks) {
  }
  child<<<1, 1>>>(seen, sm);
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  const auto blocks = static_cast<unsigned>(device.multiProcessorCount);
  unsigned *sms = nullptr, *seen = nullptr;
  cudaMalloc(&sms, blocks * sizeof(unsigned));
  cudaMalloc(&seen, blocks * sizeof(unsigned));
  cudaMemset(seen, 0, blocks * sizeof(unsigned));
  parent<<<blocks, 1, device.sharedMemPerBlock>>>(sms, seen, blocks);
  std::vector<unsigned> of(blocks), sums(blocks), counts(blocks);
  cudaMemcpy(of.data(), sms, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums.data(), seen, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (const unsigned sm : of) ++counts.at(sm);
  unsigned wrong = 0;
  for (unsigned sm = 0; sm < blocks; ++sm) {
    wrong += counts[sm] != 1 ? 1 : 0;
    wrong += sums[sm] != sm * 3 + 1 ? 1 : 0;
  }
  std::printf("SMs without exactly one block and one kernel: %u\n", wrong);
  return static_cast<int>(cudaGetLastError());
}
