// A barrier of the grid that one block does not reach: the kernel ends with an error that names the line and the block,
// instead of hanging. The next kernel of the device is refused with the same error.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void all_but_one(unsigned* counts) {
  if (blockIdx.x == 2) return;
  cg::this_grid().sync();
  atomicAdd(counts, 1u);
}

int main() {
  unsigned* counts = nullptr;
  cudaMalloc(&counts, sizeof *counts);
  cudaMemset(counts, 0, sizeof *counts);
  void* arguments[] = {&counts};
  std::printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(all_but_one, 4, 64, arguments)));
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  std::printf("%s\n", cudaGetLastError() == error ? "it stays" : "it is gone");
  return 0;
}
