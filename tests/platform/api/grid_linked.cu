// A barrier of the grid in a function of another file: the kernel needs all its blocks resident at once.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"
#include "grid_linked.h"

__global__ void reverse(const unsigned* in, unsigned* out, unsigned* between) {
  const unsigned self = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  between[self] = in[self] * 3;
  meet_all();
  out[self] = between[all - 1 - self] + 1;
}

int main() {
  cudaDeviceProp properties;
  int per_sm = 0;
  GOOD(cudaGetDeviceProperties(&properties, 0));
  GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, reverse, 96, 0));
  const unsigned most = static_cast<unsigned>(per_sm * properties.multiProcessorCount), all = most * 96;
  std::vector<unsigned> values(all);
  for (unsigned i = 0; i < all; ++i) values[i] = i * 7 + 5;
  unsigned* device[3];
  for (unsigned*& memory : device) GOOD(cudaMalloc(&memory, all * sizeof *memory));
  GOOD(cudaMemcpy(device[0], values.data(), all * sizeof(unsigned), cudaMemcpyHostToDevice));
  void* arguments[] = {&device[0], &device[1], &device[2]};
  RETURNS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel(reverse, most + 1, 96, arguments));
  for (const bool cooperative : {true, false}) {
    GOOD(cudaMemset(device[1], 0, all * sizeof(unsigned)));
    if (cooperative) {
      GOOD(cudaLaunchCooperativeKernel(reverse, most, 96, arguments));
    } else {
      reverse<<<most, 96>>>(device[0], device[1], device[2]);
    }
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaMemcpy(values.data(), device[1], all * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < all; ++i) {
      if (values[i] == ((all - 1 - i) * 7 + 5) * 3 + 1) continue;
      CHECK(!"right");
      break;
    }
  }
  reverse<<<most + 1, 96>>>(device[0], device[1], device[2]);
  RETURNS(cudaErrorCooperativeLaunchTooLarge, cudaGetLastError());
  return verdict();
}
