// Estimates pi from random points, with a random number generator per thread (PCG32 of O'Neill) and a counter in
// managed memory. Coordinates are integers, so the count is exact and the CPU can reproduce it.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

class Pcg32 {
 public:
  __host__ __device__ Pcg32(unsigned long long seed, unsigned long long sequence)
      : state_(0), increment_(sequence << 1 | 1) {
    next();
    state_ += seed;
    next();
  }
  __host__ __device__ unsigned next() {
    const unsigned long long old = state_;
    state_ = old * 6364136223846793005ull + increment_;
    const unsigned mixed = static_cast<unsigned>(((old >> 18) ^ old) >> 27),
                   rotation = static_cast<unsigned>(old >> 59);
    return mixed >> rotation | mixed << (-rotation & 31);
  }

 private:
  unsigned long long state_, increment_;
};

__host__ __device__ bool inside(unsigned draw) {
  const unsigned long long x = draw & 0xffff, y = draw >> 16;
  return x * x + y * y < 0x100000000ull;
}

__global__ void throw_points(unsigned long long* hits, unsigned long long seed, long threads, long points) {
  const long thread = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned long long mine = 0;
  if (thread < threads) {
    Pcg32 random(seed, thread);
    for (long i = 0; i < points; ++i) mine += inside(random.next());
  }
  for (int mask = 16; mask > 0; mask /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, mask);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, mine);
}

int main(int argc, char** argv) {
  long threads = 3000, points = 50, seed = 1;
  Options options("monte_carlo_pi", "estimates pi from random points");
  options.add("threads", &threads, 1, 1 << 22, "threads, each with its own generator");
  options.add("points", &points, 1, 1 << 20, "points of a thread");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the generators");
  options.parse(argc, argv);

  unsigned long long* hits = nullptr;  // managed: written by the host, added to by the device, read by the host
  CUDA_CHECK(cudaMallocManaged(&hits, sizeof *hits));
  *hits = 0;
  throw_points<<<blocks_for(threads, 192), 192>>>(hits, seed, threads, points);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  unsigned long long expected = 0;
  for (long thread = 0; thread < threads; ++thread) {
    Pcg32 random(seed, thread);
    for (long i = 0; i < points; ++i) expected += inside(random.next());
  }
  const double total = static_cast<double>(threads) * static_cast<double>(points);
  const double estimate = 4 * static_cast<double>(*hits) / total;
  Verdict verdict(options);
  verdict.equal("hits", *hits, expected);
  // The standard deviation of the estimate is 1.64 / sqrt(points); a deviation of six sigma practically never happens.
  verdict.holds("pi within 6 sigma", std::fabs(estimate - M_PI) < 6 * 1.65 / std::sqrt(total));
  CUDA_CHECK(cudaFree(hits));
  return verdict.finish();
}
