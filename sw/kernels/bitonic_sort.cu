// Bitonic sort of keys with their values, for any length: stages within 1024 elements in shared memory, the others in
// global memory. Key and original index form one 64-bit word, so that the order is total and equals that of a stable
// sort.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

typedef unsigned long long Word;
constexpr unsigned kThreads = 512;
constexpr unsigned kPerBlock = 2 * kThreads;

__device__ void compare_swap(Word& a, Word& b, bool ascending) {
  if ((a > b) == ascending) {
    const Word t = a;
    a = b;
    b = t;
  }
}

// Executes all stages whose partners are within the block: sizes first_size to last_size, distances up to kThreads.
__global__ void sort_in_shared(Word* data, unsigned first_size, unsigned last_size) {
  __shared__ Word part[kPerBlock];
  const unsigned offset = blockIdx.x * kPerBlock, t = threadIdx.x;
  part[t] = data[offset + t];
  part[t + kThreads] = data[offset + t + kThreads];
  for (unsigned size = first_size; size <= last_size; size *= 2) {
    for (unsigned distance = min(size / 2, kThreads); distance > 0; distance /= 2) {
      __syncthreads();
      const unsigned low = 2 * t - (t & (distance - 1));
      compare_swap(part[low], part[low + distance], ((offset + low) & size) == 0);
    }
  }
  __syncthreads();
  data[offset + t] = part[t];
  data[offset + t + kThreads] = part[t + kThreads];
}

__global__ void merge_in_global(Word* data, unsigned size, unsigned distance) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned low = 2 * t - (t & (distance - 1));
  Word a = data[low], b = data[low + distance];
  compare_swap(a, b, (low & size) == 0);
  data[low] = a;
  data[low + distance] = b;
}

int main(int argc, char** argv) {
  long n = 3000, distinct = 1000, seed = 1;
  Options options("bitonic_sort", "sorts u32 keys with values");
  options.add("n", &n, 1, 1 << 24, "elements");
  options.add("distinct", &distinct, 1, UINT32_MAX, "number of different keys");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  unsigned padded = kPerBlock;
  while (padded < n) padded *= 2;
  Random random(seed);
  std::vector<Word> data(padded, ~0ull);
  std::vector<std::pair<unsigned, unsigned>> expected(n);
  for (long i = 0; i < n; ++i) {
    expected[i] = {static_cast<unsigned>(random.range(0, distinct - 1)), static_cast<unsigned>(i)};
    data[i] = static_cast<Word>(expected[i].first) << 32 | expected[i].second;
  }
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  DeviceArray<Word> device(data);
  const unsigned blocks = padded / kPerBlock;
  sort_in_shared<<<blocks, kThreads>>>(device.get(), 2, kPerBlock);
  for (unsigned size = 2 * kPerBlock; size <= padded && size != 0; size *= 2) {
    for (unsigned distance = size / 2; distance > kThreads; distance /= 2) {
      merge_in_global<<<blocks, kThreads>>>(device.get(), size, distance);
    }
    sort_in_shared<<<blocks, kThreads>>>(device.get(), size, size);
  }
  CUDA_CHECK(cudaGetLastError());

  const std::vector<Word> sorted = device.download();
  std::vector<unsigned> keys(n), values(n), expected_keys(n), expected_values(n);
  for (long i = 0; i < n; ++i) {
    keys[i] = static_cast<unsigned>(sorted[i] >> 32);
    values[i] = static_cast<unsigned>(sorted[i]);
    expected_keys[i] = expected[i].first;
    expected_values[i] = expected[i].second;
  }
  Verdict verdict(options);
  verdict.equal("keys", keys, expected_keys);
  verdict.equal("values", values, expected_values);
  return verdict.finish();
}
