// Histogram in three ways: atomics on global memory, atomics on dynamic shared memory, and reductions without a result
// (red).
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__global__ void with_global_atomics(const unsigned* data, long n, unsigned* count, unsigned bins) {
  for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<long>(gridDim.x) * blockDim.x) {
    atomicAdd(&count[data[i] % bins], 1u);
  }
}

__global__ void with_shared_atomics(const unsigned* data, long n, unsigned* count, unsigned bins) {
  extern __shared__ unsigned of_block[];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) of_block[bin] = 0;
  __syncthreads();
  for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<long>(gridDim.x) * blockDim.x) {
    atomicAdd(&of_block[data[i] % bins], 1u);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    if (of_block[bin] != 0) atomicAdd(&count[bin], of_block[bin]);
  }
}

// Counts bytes of packed data in 256 bins. The result of the atomic gives the order of arrival in a bin.
__global__ void of_bytes(const uchar4* data, long n, unsigned* count, unsigned* last_arrival) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 four = data[i];
  const unsigned char byte[4] = {four.x, four.y, four.z, four.w};
  for (int j = 0; j < 4; ++j) atomicMax(&last_arrival[byte[j]], atomicAdd(&count[byte[j]], 1u) + 1);
}

int main(int argc, char** argv) {
  long n = 100000, bins = 256, skew = 4, seed = 1;
  Options options("histogram", "counts the values of a skewed distribution");
  options.add("n", &n, 1, 1 << 26, "elements");
  options.add("bins", &bins, 1, 12288, "number of bins");
  options.add("skew", &skew, 1, 64, "how often the draw is repeated to keep the smallest");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<unsigned> data(n), expected(bins);
  for (unsigned& value : data) {
    value = UINT32_MAX;
    for (long i = 0; i < skew; ++i) value = std::min(value, static_cast<unsigned>(random.next()) >> 8);
    ++expected[value % bins];
  }
  DeviceArray<unsigned> device_data(data), count(bins);
  const unsigned block = 256, grid = std::min(blocks_for(n, block), 40u);
  Verdict verdict(options);
  count.fill_bytes(0);
  with_global_atomics<<<grid, block>>>(device_data.get(), n, count.get(), bins);
  verdict.equal("global", count.download(), expected);
  count.fill_bytes(0);
  with_shared_atomics<<<grid, block, bins * sizeof(unsigned)>>>(device_data.get(), n, count.get(), bins);
  verdict.equal("shared", count.download(), expected);

  std::vector<unsigned> of_byte(256);
  for (long i = 0; i < n; ++i) {
    for (int shift = 0; shift < 32; shift += 8) ++of_byte[data[i] >> shift & 255];
  }
  DeviceArray<unsigned> byte_count(256), arrivals(256);
  byte_count.fill_bytes(0);
  arrivals.fill_bytes(0);
  of_bytes<<<blocks_for(n, block), block>>>(reinterpret_cast<uchar4*>(device_data.get()), n, byte_count.get(),
                                            arrivals.get());
  CUDA_CHECK(cudaGetLastError());
  verdict.equal("bytes", byte_count.download(), of_byte);
  verdict.equal("arrivals", arrivals.download(), of_byte);
  return verdict.finish();
}
