// Cost of a thread block barrier: all warps execute barriers back to back, with no instructions between them.
#include "micro.h"

using namespace kernels;

constexpr int kShort = 16, kLong = 48;

template <int kLength>
__global__ void meet(unsigned* ticks, unsigned* passed) {
  unsigned elapsed = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // in the second pass the instruction cache is warm
    __syncthreads();
    const unsigned start = clock();
#pragma unroll
    for (int i = 0; i < kLength; ++i) __syncthreads();
    elapsed = clock() - start;
  }
  if (threadIdx.x == 0) *ticks = elapsed;
  atomicAdd(passed, 1U);
}

template <int kLength>
double run(int warps, bool& right) {
  DeviceArray<unsigned> ticks(1), passed(1);
  passed.fill_bytes(0);
  meet<kLength><<<1, warps * 32>>>(ticks.get(), passed.get());
  micro::finish();
  right = right && passed.download()[0] == warps * 32U;
  return ticks.download()[0];
}

int main(int argc, char** argv) {
  Options options("barriers", "time from barrier to barrier, clock ticks of an SM");
  options.parse(argc, argv);
  micro::Figures figures("barriers");
  bool right = true;
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    const double lower = run<kShort>(warps, right), upper = run<kLong>(warps, right);
    figures.add("warps_" + std::to_string(warps), (upper - lower) / (kLong - kShort));
  }
  figures.print();
  Verdict verdict(options);
  verdict.holds("threads passed", right);
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
