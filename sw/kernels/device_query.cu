// Checks that the runtime's properties of the device and of a kernel are consistent. Also checks launches that the
// device cannot execute: each returns its error, has no side effect, and the error does not persist.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__global__ void plain(int* out, int value) {
  __shared__ int part[100];
  part[threadIdx.x % 100] = value;
  __syncthreads();
  if (threadIdx.x == 0) *out = part[0];
}

__global__ __launch_bounds__(64) void bounded(int* out) { *out = 5; }

__global__ void ids(int* out) {
  // Linear index of the thread in the whole grid; all dimensions are used.
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 10000 + thread;
}

int main(int argc, char** argv) {
  long x = 5, y = 3, z = 2, show = 0;
  Options options("device_query", "properties, attributes, occupancy and launch errors");
  options.add("x", &x, 1, 64, "blocks and threads along x");
  options.add("y", &y, 1, 4, "blocks and threads along y");
  options.add("z", &z, 1, 4, "blocks and threads along z");
  options.add("show", &show, 0, 1, "1 prints the properties");
  options.parse(argc, argv);

  int devices = 0, current = -1, processors = 0, warp = 0, shared_of_block = 0, threads_of_block = 0;
  cudaDeviceProp p;
  CUDA_CHECK(cudaGetDeviceCount(&devices));
  CUDA_CHECK(cudaSetDevice(0));
  CUDA_CHECK(cudaGetDevice(&current));
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&shared_of_block, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&threads_of_block, cudaDevAttrMaxThreadsPerBlock, 0));
  if (show != 0) {
    std::printf("%s: %d multiprocessors of %d threads, %d registers and %zu bytes of shared memory, %zu MB in all\n",
                p.name, p.multiProcessorCount, p.maxThreadsPerMultiProcessor, p.regsPerMultiprocessor,
                p.sharedMemPerMultiprocessor, p.totalGlobalMem >> 20);
  }
  Verdict verdict(options);
  verdict.holds("one device or more", devices >= 1 && current == 0);
  verdict.holds("attributes agree with properties",
                processors == p.multiProcessorCount && warp == p.warpSize && threads_of_block == p.maxThreadsPerBlock &&
                    static_cast<std::size_t>(shared_of_block) == p.sharedMemPerBlock);
  std::size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  verdict.holds("free memory fits in all", free_bytes > 0 && free_bytes <= total_bytes);

  cudaFuncAttributes of_plain, of_bounded;
  CUDA_CHECK(cudaFuncGetAttributes(&of_plain, plain));
  CUDA_CHECK(cudaFuncGetAttributes(&of_bounded, bounded));
  verdict.equal("shared bytes", of_plain.sharedSizeBytes, std::size_t{400});
  verdict.holds("registers", of_plain.numRegs > 0 && of_plain.numRegs <= 255);
  verdict.equal("launch bound", of_bounded.maxThreadsPerBlock, 64);

  // Residency: the resident blocks must fit into an SM, and blocks that use half of the largest dynamic shared memory
  // must leave room for few.
  bool fits = true, falls = true;
  int before = INT32_MAX;
  for (int threads = 32; threads <= threads_of_block; threads *= 2) {
    int resident = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, plain, threads, 0));
    fits = fits && resident >= 1 && resident * threads <= p.maxThreadsPerMultiProcessor &&
           resident * threads * of_plain.numRegs <= p.regsPerMultiprocessor;
    falls = falls && resident <= before;
    before = resident;
  }
  int crowded = 0, best_grid = 0, best_block = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&crowded, plain, 32, shared_of_block / 2));
  CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&best_grid, &best_block, plain, 0, 0));
  verdict.holds("residency", fits && falls && crowded >= 1 &&
                                 crowded * (shared_of_block / 2 + 400ul) <= p.sharedMemPerMultiprocessor);
  verdict.holds("best block", best_block % warp == 0 && best_block <= threads_of_block && best_grid >= processors);

  DeviceArray<int> out(1);
  out.fill_bytes(0);
  plain<<<1, threads_of_block + 1>>>(out.get(), 1);
  verdict.holds("too many threads", cudaPeekAtLastError() == cudaErrorInvalidConfiguration &&
                                        cudaGetLastError() == cudaErrorInvalidConfiguration);
  verdict.holds("error is taken back", cudaGetLastError() == cudaSuccess);
  plain<<<dim3(1, 0, 1), 32>>>(out.get(), 1);
  verdict.holds("empty grid", cudaGetLastError() == cudaErrorInvalidConfiguration);
  plain<<<1, 32, 1 << 24>>>(out.get(), 1);
  verdict.holds("too much shared memory", cudaGetLastError() != cudaSuccess);
  bounded<<<1, 65>>>(out.get());
  verdict.holds("more threads than the launch bound", cudaGetLastError() != cudaSuccess);
  void* nothing = nullptr;
  verdict.holds("too much memory", cudaMalloc(&nothing, std::size_t{1} << 50) == cudaErrorMemoryAllocation &&
                                       cudaGetLastError() == cudaErrorMemoryAllocation);
  verdict.holds("invalid copy", cudaMemcpy(out.get(), &current, 4, static_cast<cudaMemcpyKind>(77)) ==
                                        cudaErrorInvalidMemcpyDirection &&
                                    cudaGetLastError() != cudaSuccess);
  verdict.holds("invalid device",
                cudaSetDevice(devices) == cudaErrorInvalidDevice && cudaGetLastError() != cudaSuccess);
  verdict.equal("no side effect", out.download()[0], 0);
  plain<<<1, 32>>>(out.get(), 42);
  CUDA_CHECK(cudaGetLastError());
  verdict.equal("good launch afterwards", out.download()[0], 42);

  const dim3 shape(x, y, z);
  const long threads = x * y * z;
  std::vector<int> expected(threads * threads);
  for (long i = 0; i < threads * threads; ++i) expected[i] = static_cast<int>(i / threads * 10000 + i % threads);
  DeviceArray<int> all(expected.size());
  ids<<<shape, shape>>>(all.get());
  CUDA_CHECK(cudaGetLastError());
  verdict.equal("ids", all.download(), expected);
  return verdict.finish();
}
