// Filter of the program multi_file. Kernel and constant have the same names as those of blur.cu, because both are
// private to their file.
#include "filters.h"

static __constant__ int setting;

static __global__ void filter(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += setting * data[i];
}

void set_gain(int gain) { cudaMemcpyToSymbol(setting, &gain, sizeof gain); }

void apply_gain(int* data, int n, cudaStream_t stream) { filter<<<(n + 127) / 128, 128, 0, stream>>>(data, n); }
