// Inclusive and exclusive prefix sums of any length, with as many levels of block scans as the length requires.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kBlock = 256;
constexpr int kPerThread = 4;
constexpr int kPerBlock = kBlock * kPerThread;

// Scans 1024 elements per block and writes their total to totals[blockIdx.x].
__global__ void scan_blocks(const unsigned* in, unsigned* out, unsigned* totals, long n, bool inclusive) {
  __shared__ unsigned warp_sum[kBlock / 32];
  const long first = static_cast<long>(blockIdx.x) * kPerBlock + threadIdx.x * kPerThread;
  unsigned value[kPerThread], sum = 0;
  for (int i = 0; i < kPerThread; ++i) {
    value[i] = first + i < n ? in[first + i] : 0;
    sum += value[i];
  }
  unsigned up_to_here = sum;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned below = __shfl_up_sync(0xffffffffu, up_to_here, distance);
    if (lane >= distance) up_to_here += below;
  }
  if (lane == 31) warp_sum[warp] = up_to_here;
  __syncthreads();
  if (warp == 0) {
    unsigned total = lane < kBlock / 32 ? warp_sum[lane] : 0;
    for (unsigned distance = 1; distance < kBlock / 32; distance *= 2) {
      const unsigned below = __shfl_up_sync(0xffffffffu, total, distance, 8);
      if (lane >= distance) total += below;
    }
    if (lane < kBlock / 32) warp_sum[lane] = total;
  }
  __syncthreads();
  unsigned running = up_to_here - sum + (warp > 0 ? warp_sum[warp - 1] : 0);
  for (int i = 0; i < kPerThread; ++i) {
    if (inclusive) running += value[i];
    if (first + i < n) out[first + i] = running;
    if (!inclusive) running += value[i];
  }
  if (threadIdx.x == 0 && totals != nullptr) totals[blockIdx.x] = warp_sum[kBlock / 32 - 1];
}

__global__ void add_offsets(unsigned* data, const unsigned* offsets, long n) {
  for (int i = threadIdx.x; i < kPerBlock; i += blockDim.x) {
    const long index = static_cast<long>(blockIdx.x) * kPerBlock + i;
    if (index < n) data[index] += offsets[blockIdx.x];
  }
}

// Scans `in` into `out`. Returns the number of levels used.
int scan(const unsigned* in, unsigned* out, long n, bool inclusive) {
  const unsigned blocks = blocks_for(n, kPerBlock);
  if (blocks == 1) {
    scan_blocks<<<1, kBlock>>>(in, out, nullptr, n, inclusive);
    CUDA_CHECK(cudaGetLastError());
    return 1;
  }
  DeviceArray<unsigned> totals(blocks), offsets(blocks);
  scan_blocks<<<blocks, kBlock>>>(in, out, totals.get(), n, inclusive);
  CUDA_CHECK(cudaGetLastError());
  const int levels = scan(totals.get(), offsets.get(), blocks, false);
  add_offsets<<<blocks, kBlock>>>(out, offsets.get(), n);
  CUDA_CHECK(cudaGetLastError());
  return levels + 1;
}

int main(int argc, char** argv) {
  long n = 50000, seed = 1;
  Options options("scan", "inclusive and exclusive prefix sums (u32, modulo 2^32)");
  options.add("n", &n, 1, 1 << 26, "elements");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<unsigned> data(n), inclusive(n), exclusive(n);
  unsigned running = 0;
  for (long i = 0; i < n; ++i) {
    data[i] = static_cast<unsigned>(random.next());
    exclusive[i] = running;
    inclusive[i] = running += data[i];
  }
  int expected_levels = 1;
  for (long rest = n; rest > kPerBlock; rest = (rest + kPerBlock - 1) / kPerBlock) ++expected_levels;

  DeviceArray<unsigned> in(data), out(n);
  Verdict verdict(options);
  verdict.equal("levels", scan(in.get(), out.get(), n, true), expected_levels);
  verdict.equal("inclusive", out.download(), inclusive);
  scan(in.get(), out.get(), n, false);
  verdict.equal("exclusive", out.download(), exclusive);
  return verdict.finish();
}
