// Latency of shared memory: each lane of a warp repeatedly loads a word that holds the word's own address. With a
// stride of s words between lanes, lanes access the same bank. Words have 4 or 8 bytes. Also throughput: a block that
// fills an SM reads without bank conflicts.
#include "micro.h"

using namespace kernels;

constexpr int kShort = 32, kLong = 96, kWidest = 64, kChains = 4;

__device__ unsigned next(unsigned address) {
  unsigned value = 0;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
  return value;
}

__device__ unsigned long long next(unsigned long long address) {
  unsigned long long value = 0;
  asm volatile("ld.shared.u64 %0, [%1];" : "=l"(value) : "l"(address));
  return value;
}

template <class Word>
__device__ Word shared_address(const void* pointer) {
  return static_cast<Word>(__cvta_generic_to_shared(pointer));
}

template <class Word, int kLength>
__global__ void read(int stride, unsigned* ticks, int* wrong) {
  __shared__ Word words[32 * kWidest];
  Word* const mine = &words[threadIdx.x * stride];
  *mine = shared_address<Word>(mine);
  __syncthreads();
  Word address = shared_address<Word>(mine);
  const Word first = address;
  unsigned elapsed = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // in the second pass the instruction cache is warm
    const unsigned start = clock();
#pragma unroll
    for (int i = 0; i < kLength; ++i) address = next(address);
    elapsed = clock() - start;
  }
  if (threadIdx.x == 0) *ticks = elapsed;
  if (address != first) atomicAdd(wrong, 1);
}

/// Returns the latency of one load in ticks, with `stride` words between lanes.
template <class Word>
double latency(int stride, bool& right) {
  DeviceArray<unsigned> ticks(1);
  DeviceArray<int> wrong(std::vector<int>{0});
  read<Word, kShort><<<1, 32>>>(stride, ticks.get(), wrong.get());
  micro::finish();
  const double lower = ticks.download()[0];
  read<Word, kLong><<<1, 32>>>(stride, ticks.get(), wrong.get());
  micro::finish();
  right = right && wrong.download()[0] == 0;
  return (ticks.download()[0] - lower) / (kLong - kShort);
}

template <class Word, int kLength>
__global__ void stream(unsigned* starts, unsigned* stops, int* wrong) {
  __shared__ Word words[1024];
  const Word first = shared_address<Word>(&words[threadIdx.x]);
  words[threadIdx.x] = first;
  Word address[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) address[c] = first;
  unsigned start = 0, stop = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // in the second pass the instruction cache is warm
    __syncthreads();
    start = clock();
#pragma unroll
    for (int i = 0; i < kLength; ++i) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) address[c] = next(address[c]);
    }
    stop = clock();
  }
  if (threadIdx.x % 32 == 0) {
    starts[threadIdx.x / 32] = start;
    stops[threadIdx.x / 32] = stop;
  }
#pragma unroll
  for (int c = 0; c < kChains; ++c) {
    if (address[c] != first) atomicAdd(wrong, 1);
  }
}

/// Returns the ticks from the first start to the last end over all warps of a block of 1024 threads.
template <class Word, int kLength>
double stream_ticks(bool& right) {
  DeviceArray<unsigned> starts(32), stops(32);
  DeviceArray<int> wrong(std::vector<int>{0});
  stream<Word, kLength><<<1, 1024>>>(starts.get(), stops.get(), wrong.get());
  micro::finish();
  right = right && wrong.download()[0] == 0;
  const std::vector<unsigned> begin = starts.download(), end = stops.download();
  return *std::max_element(end.begin(), end.end()) - *std::min_element(begin.begin(), begin.end());
}

/// Returns the throughput in lane loads per tick.
template <class Word>
double rate(bool& right) {
  constexpr int kFew = 12, kMany = 36;
  const double ticks = stream_ticks<Word, kMany>(right) - stream_ticks<Word, kFew>(right);
  return 1024.0 * kChains * (kMany - kFew) / ticks;
}

int main(int argc, char** argv) {
  Options options("shared_memory", "latency of shared memory with conflicts, clock ticks of an SM");
  options.parse(argc, argv);
  micro::Figures figures("shared_memory");
  bool right = true;
  // The cost of a conflict is the extra latency over a load without conflict.
  for (const bool wide : {false, true}) {
    const std::string name = wide ? "8_bytes_stride_" : "4_bytes_stride_";
    double free = 0;
    for (const int stride : {1, 2, 4, 6, 8, 16, 32, 64}) {
      const double ticks = wide ? latency<unsigned long long>(stride, right) : latency<unsigned>(stride, right);
      if (stride == 1) free = ticks;
      figures.add(name + std::to_string(stride), ticks);
      if (stride > 1) figures.add(name + std::to_string(stride) + "_cost", std::max(0.0, ticks - free));
    }
  }
  figures.add("4_bytes_rate", rate<unsigned>(right));
  figures.add("8_bytes_rate", rate<unsigned long long>(right));
  figures.print();
  Verdict verdict(options);
  verdict.holds("addresses", right);
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
