// Number of thread blocks that an SM holds at once, and the cost of one block more. Each block counts itself in a
// counter of its SM and waits for a number of clock ticks.
#include "micro.h"

using namespace kernels;

constexpr unsigned kSms = 1024;  // upper bound on SM numbers

__device__ unsigned number_of_sm() {
  unsigned number = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number % kSms;
}

__global__ void stay(unsigned ticks, unsigned* here, unsigned* most, unsigned* done) {
  extern __shared__ unsigned shared[];
  const unsigned sm = number_of_sm();
  const unsigned start = clock();
  if (threadIdx.x == 0) atomicMax(&most[sm], atomicAdd(&here[sm], 1U) + 1);
  while (clock() - start < ticks) {
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicSub(&here[sm], 1U);
    atomicAdd(done, 1U);
  }
}

struct Stay {
  unsigned most = 0;  ///< largest number of blocks resident on an SM at once
  double us = 0;      ///< duration of all blocks, in us
};

Stay run(unsigned blocks, unsigned threads, unsigned shared, unsigned ticks, bool& right) {
  DeviceArray<unsigned> here(kSms), most(kSms), done(1);
  here.fill_bytes(0);
  most.fill_bytes(0);
  done.fill_bytes(0);
  micro::Stopwatch watch;
  CUDA_CHECK(cudaDeviceSynchronize());
  watch.start();
  stay<<<blocks, threads, shared>>>(ticks, here.get(), most.get(), done.get());
  CUDA_CHECK(cudaGetLastError());
  Stay result;
  result.us = watch.stop();
  for (const unsigned one : most.download()) result.most = std::max(result.most, one);
  right = right && done.download()[0] == blocks;
  return result;
}

int main(int argc, char** argv) {
  long ticks = 4000;
  Options options("residency", "thread blocks that an SM holds at once");
  options.add("ticks", &ticks, 1, 1 << 24, "clock ticks a block stays");
  options.parse(argc, argv);
  const unsigned sms = micro::device().multiProcessorCount, stay = static_cast<unsigned>(ticks);
  micro::Figures figures("residency");
  bool right = true;
  // Launches twice as many blocks as the SMs of any of the modelled chips hold.
  for (const unsigned threads : {32U, 128U, 256U, 512U, 1024U}) {
    const unsigned blocks = sms * std::min(64U, 8192 / threads);
    figures.add("blocks_of_" + std::to_string(threads), run(blocks, threads, 0, stay, right).most);
  }
  for (const unsigned kib : {8U, 16U, 48U}) {
    figures.add("blocks_with_" + std::to_string(kib) + "k", run(sms * 16, 64, kib * 1024, stay, right).most);
  }
  // The step: time of as many blocks as fit plus one, relative to the time of those that fit. The last block waits
  // until others end.
  const unsigned fit = sms * static_cast<unsigned>(run(sms * 4, 1024, 0, stay, right).most);
  figures.add("step", run(fit + 1, 1024, 0, 4 * stay, right).us / run(fit, 1024, 0, 4 * stay, right).us);
  figures.print();
  Verdict verdict(options);
  verdict.holds("blocks ended", right);
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
