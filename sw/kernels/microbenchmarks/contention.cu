// Latency of dependent atomic additions in shared and global memory. 1 to 32 lanes of a warp use the same address; the
// other lanes have an address each (in global memory, a cache line each). Also throughput: all threads of the device
// add to one word of global memory and ignore the results.
#include "micro.h"

using namespace kernels;

constexpr int kShort = 16, kLong = 48, kGap = 32;  // words between global addresses

template <bool kShared, int kLength>
__global__ void add(int together, unsigned* global, unsigned* ticks, unsigned* old) {
  __shared__ unsigned shared[64];
  const int place = threadIdx.x < together ? 0 : 32 + threadIdx.x;
  shared[threadIdx.x] = shared[threadIdx.x + 32] = 0;
  __syncthreads();
  unsigned* const target = kShared ? &shared[place] : &global[place * kGap];
  unsigned value = 1, elapsed = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // in the second pass the instruction cache is warm
    const unsigned start = clock();
#pragma unroll
    for (int i = 0; i < kLength; ++i) value = atomicAdd(target, value | 1) & 1;
    elapsed = clock() - start;
  }
  if (threadIdx.x == 0) *ticks = elapsed;
  old[threadIdx.x] = *target;
}

/// Returns the ticks of one chain of kLength additions.
template <bool kShared, int kLength>
double run(int together, bool& right) {
  DeviceArray<unsigned> global(64 * kGap), ticks(1), sums(32);
  global.fill_bytes(0);
  add<kShared, kLength><<<1, 32>>>(together, global.get(), ticks.get(), sums.get());
  micro::finish();
  const std::vector<unsigned> all = sums.download();
  for (int lane = 0; lane < 32; ++lane) {
    // Every addition adds 1; all lanes with the same address add, in both passes.
    const unsigned expected = 2U * kLength * (lane < together ? together : 1);
    if (all[lane] != expected) std::fprintf(stderr, "lane %d: %u, expected %u\n", lane, all[lane], expected);
    right = right && all[lane] == expected;
  }
  return ticks.download()[0];
}

template <bool kShared>
void measure(const char* name, micro::Figures& figures, bool& right) {
  for (const int together : {1, 2, 4, 8, 16, 32}) {
    const double lower = run<kShared, kShort>(together, right), upper = run<kShared, kLong>(together, right);
    figures.add(std::string(name) + std::to_string(together), (upper - lower) / (kLong - kShort));
  }
}

constexpr int kAdditions = 32;

__global__ void add_together(unsigned* word) {
#pragma unroll
  for (int i = 0; i < kAdditions; ++i) atomicAdd(word, 1U);
}

/// Returns additions per clock cycle of the device, when all threads add to one word.
double together(bool& right) {
  const unsigned blocks = 2 * micro::device().multiProcessorCount, threads = 256;
  DeviceArray<unsigned> word(1);
  word.fill_bytes(0);
  micro::Stopwatch watch;
  add_together<<<blocks, threads>>>(word.get());
  micro::finish();
  watch.start();
  add_together<<<blocks, threads>>>(word.get());
  const double us = watch.stop(), additions = static_cast<double>(blocks) * threads * kAdditions;
  right = right && word.download()[0] == 2 * additions;
  return additions / (us * micro::device().clockRate / 1e3);
}

int main(int argc, char** argv) {
  Options options("contention", "latency of dependent atomic additions, clock ticks of an SM");
  options.parse(argc, argv);
  micro::Figures figures("contention");
  bool right = true;
  measure<true>("shared_", figures, right);
  measure<false>("global_", figures, right);
  figures.add("global_one_word_rate", together(right));
  figures.print();
  Verdict verdict(options);
  verdict.holds("sums", right);
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
