// Vector addition in a grid-stride loop. The occupancy query chooses the launch shape; events measure the time.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__global__ void add(const float* a, const float* b, float* c, long n) {
  const long stride = static_cast<long>(gridDim.x) * blockDim.x;
  for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  long n = 1 << 16, seed = 1, block = 0;
  Options options("vector_add", "adds two vectors of float");
  options.add("n", &n, 1, 1 << 26, "elements");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.add("block", &block, 0, 1024, "threads of a block, 0 asks the occupancy query");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<float> a(n), b(n), expected(n);
  for (long i = 0; i < n; ++i) {
    a[i] = static_cast<float>(random.real(-100, 100));
    b[i] = static_cast<float>(random.real(-100, 100));
    expected[i] = a[i] + b[i];
  }
  DeviceArray<float> device_a(a), device_b(b), device_c(n);
  device_c.fill_bytes(0xff);

  int best_grid = 0, best_block = static_cast<int>(block);
  if (block == 0) CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&best_grid, &best_block, add, 0, 0));
  int resident = 0, multiprocessors = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, add, best_block, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const unsigned grid = std::min<unsigned>(blocks_for(n, best_block), resident * multiprocessors);

  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start));
  add<<<grid, best_block>>>(device_a.get(), device_b.get(), device_c.get(), n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = -1;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));

  Verdict verdict(options);
  verdict.equal("sums", device_c.download(), expected);
  verdict.holds("time >= 0", milliseconds >= 0);
  return verdict.finish();
}
