// Barriers beyond __syncthreads: producer and consumer warps of one block synchronise at named barriers with a thread
// count (bar.sync id, count and bar.arrive). Also reductions at a barrier (bar.red), and __syncthreads_and, _or and
// _count.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kHalf = 64;  // threads of each role: producers, consumers
constexpr int kFull = 1, kEmpty = 2;

__device__ void arrive(int barrier) { asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(2 * kHalf) : "memory"); }
__device__ void meet(int barrier) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(2 * kHalf) : "memory"); }

// Producers, the first two warps, square the items of a row; consumers, the other two, add them up. One buffer is
// passed back and forth.
__global__ void hand_over(const unsigned* data, unsigned* sums, int rounds) {
  __shared__ unsigned buffer[kHalf];
  __shared__ unsigned of_warp[2];
  const unsigned* row = data + static_cast<long>(blockIdx.x) * rounds * kHalf;
  if (threadIdx.x < kHalf) {
    for (int i = 0; i < rounds; ++i) {
      const unsigned x = row[i * kHalf + threadIdx.x];
      meet(kEmpty);
      buffer[threadIdx.x] = x * x;
      __threadfence_block();
      arrive(kFull);
    }
  } else {
    const int t = threadIdx.x - kHalf;
    arrive(kEmpty);
    unsigned sum = 0;
    for (int i = 0; i < rounds; ++i) {
      meet(kFull);
      sum = sum * 3 + buffer[(t + i) % kHalf];
      if (i + 1 < rounds) arrive(kEmpty);
    }
    for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    asm volatile("bar.sync 3, 64;" ::: "memory");  // synchronises the consumers only
    if (t == 0) sums[blockIdx.x] = of_warp[0] + of_warp[1];
  }
}

__global__ void reduce_at_barrier(const unsigned* data, unsigned* out) {
  const unsigned x = data[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned odd, any_zero, all_small;
  asm volatile(
      "{\n\t.reg .pred p, q;\n\t"
      "setp.ne.u32 p, %3, 0;\n\tbar.red.popc.u32 %0, 4, p;\n\t"
      "setp.eq.u32 p, %4, 0;\n\tbar.red.or.pred q, 4, p;\n\tselp.u32 %1, 1, 0, q;\n\t"
      "setp.lt.u32 p, %4, 0xff000000;\n\tbar.red.and.pred q, 4, p;\n\tselp.u32 %2, 1, 0, q;\n\t}"
      : "=r"(odd), "=r"(any_zero), "=r"(all_small)
      : "r"(x & 1), "r"(x)
      : "memory");
  const int count = __syncthreads_count(x % 3 == 0), all = __syncthreads_and(x % 1024 != 5),
            some = __syncthreads_or(x % 1024 == 7);
  if (threadIdx.x == 0) {
    unsigned* const r = out + 6 * blockIdx.x;
    r[0] = odd;
    r[1] = any_zero;
    r[2] = all_small;
    r[3] = count;
    r[4] = all != 0;
    r[5] = some != 0;
  }
}

int main(int argc, char** argv) {
  long blocks = 9, rounds = 7, seed = 1;
  Options options("named_barriers", "producer and consumer warps at named barriers");
  options.add("blocks", &blocks, 1, 4096, "thread blocks");
  options.add("rounds", &rounds, 1, 1024, "buffers handed over in a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<unsigned> data(blocks * (rounds + 1) * kHalf), expected(blocks), reduced(6 * blocks);
  for (unsigned& x : data) x = random.range(0, 99) == 0 ? 0 : static_cast<unsigned>(random.next());
  for (long b = 0; b < blocks; ++b) {
    for (long t = 0; t < kHalf; ++t) {
      unsigned sum = 0;
      for (long i = 0; i < rounds; ++i) {
        const unsigned x = data[(b * rounds + i) * kHalf + (t + i) % kHalf];
        sum = sum * 3 + x * x;
      }
      expected[b] += sum;
    }
    unsigned* const r = &reduced[6 * b];
    r[2] = r[4] = 1;
    for (long t = 0; t < 2 * kHalf; ++t) {
      const unsigned x = data[b * 2 * kHalf + t];
      r[0] += x & 1;
      r[1] |= x == 0;
      r[2] &= x < 0xff000000;
      r[3] += x % 3 == 0;
      r[4] &= x % 1024 != 5;
      r[5] |= x % 1024 == 7;
    }
  }
  DeviceArray<unsigned> device_data(data), sums(blocks), out(6 * blocks);
  hand_over<<<blocks, 2 * kHalf>>>(device_data.get(), sums.get(), rounds);
  reduce_at_barrier<<<blocks, 2 * kHalf>>>(device_data.get(), out.get());
  CUDA_CHECK(cudaGetLastError());
  Verdict verdict(options);
  verdict.equal("sums", sums.download(), expected);
  verdict.equal("reductions", out.download(), reduced);
  return verdict.finish();
}
