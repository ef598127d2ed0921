// Filter of the program multi_file. Kernel and constant have the same names as those of gain.cu, because both are
// private to their file.
#include "filters.h"

static __constant__ int setting;

static __global__ void filter(const int* in, int* out, int n) {
  extern __shared__ int line[];  // one element more on either side than the block has threads
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  line[threadIdx.x + 1] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) line[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == blockDim.x - 1) line[blockDim.x + 1] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = line[threadIdx.x] + line[threadIdx.x + 1] + line[threadIdx.x + 2] + setting;
}

void set_offset(int offset) { cudaMemcpyToSymbol(setting, &offset, sizeof offset); }

void apply_blur(const int* in, int* out, int n, cudaStream_t stream) {
  filter<<<(n + 63) / 64, 64, 66 * sizeof(int), stream>>>(in, out, n);
}
