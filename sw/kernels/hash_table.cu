// A hash table with open addressing. 64-bit keys (hashed by 64-bit multiplies) are inserted by 64-bit compare-and-swap,
// and values of equal keys are added up. Then keys are looked up, half of which are not in the table.
#include <cuda_runtime.h>

#include <unordered_map>

#include "common/program.h"

using namespace kernels;

typedef unsigned long long Word;
constexpr Word kFree = ~0ull;

__device__ Word mix(Word key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdull;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ull;
  return key ^ key >> 33;
}

struct Table {
  Word* keys;
  Word* sums;
  unsigned mask;
};

__global__ void insert(Table table, const Word* keys, int n, unsigned* distinct) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Word key = keys[i];
  for (unsigned slot = static_cast<unsigned>(mix(key)) & table.mask;; slot = (slot + 1) & table.mask) {
    const Word found = atomicCAS(&table.keys[slot], kFree, key);
    if (found == kFree) atomicAdd(distinct, 1u);
    if (found == kFree || found == key) {
      atomicAdd(&table.sums[slot], static_cast<Word>(i) + 1);
      break;
    }
  }
}

__global__ void look_up(Table table, const Word* keys, Word* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Word key = keys[i];
  unsigned slot = static_cast<unsigned>(mix(key)) & table.mask;
  while (table.keys[slot] != key && table.keys[slot] != kFree) slot = (slot + 1) & table.mask;
  sums[i] = table.keys[slot] == key ? table.sums[slot] : 0;
}

int main(int argc, char** argv) {
  long n = 5000, distinct = 2000, seed = 1;
  Options options("hash_table", "sums of values by 64-bit key");
  options.add("n", &n, 1, 1 << 22, "pairs of key and value");
  options.add("distinct", &distinct, 1, 1 << 22, "number of keys to draw from");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  unsigned slots = 64;
  while (slots < 2 * std::min(n, distinct)) slots *= 2;
  Random random(seed);
  std::vector<Word> keys(n), probes(n), expected(n);
  for (Word& key : keys) key = static_cast<Word>(random.range(0, distinct - 1)) * 0x100000001ull;
  for (long i = 0; i < n; ++i) {
    probes[i] = i % 2 == 0 ? keys[random.range(0, n - 1)] : static_cast<Word>(random.range(0, distinct - 1)) << 32 | 1;
  }
  std::unordered_map<Word, Word> reference;
  for (long i = 0; i < n; ++i) reference[keys[i]] += i + 1;
  for (long i = 0; i < n; ++i) {
    const auto found = reference.find(probes[i]);
    expected[i] = found == reference.end() ? 0 : found->second;
  }

  DeviceArray<Word> table_keys(slots), table_sums(slots), device_keys(keys), device_probes(probes), sums(n);
  DeviceArray<unsigned> counter(1);
  table_keys.fill_bytes(0xff);
  table_sums.fill_bytes(0);
  counter.fill_bytes(0);
  const Table table = {table_keys.get(), table_sums.get(), slots - 1};
  insert<<<blocks_for(n, 128), 128>>>(table, device_keys.get(), n, counter.get());
  look_up<<<blocks_for(n, 128), 128>>>(table, device_probes.get(), sums.get(), n);
  CUDA_CHECK(cudaGetLastError());
  Verdict verdict(options);
  verdict.equal("keys", static_cast<std::size_t>(counter.download()[0]), reference.size());
  verdict.equal("sums", sums.download(), expected);
  return verdict.finish();
}
