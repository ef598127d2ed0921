// Segmented sieve of Eratosthenes over odd numbers: a block sieves one segment as bits in shared memory (atomicOr),
// counts the remaining primes with __popc, and writes the bits.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr unsigned kWords = 1024;           // words of a segment
constexpr unsigned kSegment = kWords * 32;  // odd numbers of a segment

// Bit i of the result represents the odd number 2 i + 1 and is 1 if the number is composite (1 counts as composite).
__global__ void sieve(const unsigned* primes, int number_of_primes, unsigned* bits, unsigned long long limit,
                      unsigned long long* count) {
  __shared__ unsigned composite[kWords];
  for (unsigned w = threadIdx.x; w < kWords; w += blockDim.x) composite[w] = 0;
  __syncthreads();
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * kSegment;
  for (int p = threadIdx.x; p < number_of_primes; p += blockDim.x) {
    const unsigned long long prime = primes[p];
    unsigned long long i = prime * prime / 2;  // bit index of prime * prime
    if (i < first) i += (first - i + prime - 1) / prime * prime;
    for (; i < first + kSegment; i += prime) {
      atomicOr(&composite[(i - first) / 32], 1u << (i - first) % 32);
    }
  }
  __syncthreads();
  int mine = 0;
  for (unsigned w = threadIdx.x; w < kWords; w += blockDim.x) {
    unsigned word = composite[w];
    if (first == 0 && w == 0) word |= 1;
    for (int bit = 0; bit < 32; ++bit) {
      if (2 * (first + w * 32 + bit) + 1 > limit) word |= 1u << bit;
    }
    bits[first / 32 + w] = word;
    mine += __popc(~word);
  }
  if (mine > 0) atomicAdd(count, static_cast<unsigned long long>(mine));
}

int main(int argc, char** argv) {
  long limit = 200000, block = 128;
  Options options("prime_sieve", "primes up to a limit");
  options.add("limit", &limit, 3, 100000000, "largest number looked at");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.parse(argc, argv);

  // Reference: the plain sieve over all numbers.
  std::vector<bool> composite(limit + 1);
  std::vector<unsigned> primes;
  unsigned long long expected = 0;
  for (long i = 2; i <= limit; ++i) {
    if (composite[i]) continue;
    ++expected;
    if (i * i > limit) continue;
    if (i > 2) primes.push_back(static_cast<unsigned>(i));
    for (long j = i * i; j <= limit; j += i) composite[j] = true;
  }
  const int number_of_primes = static_cast<int>(primes.size());
  primes.push_back(0);

  const unsigned segments = blocks_for((limit + 1) / 2, kSegment);
  DeviceArray<unsigned> device_primes(primes), bits(static_cast<std::size_t>(segments) * kWords);
  DeviceArray<unsigned long long> count(1);
  count.fill_bytes(0);
  sieve<<<segments, block>>>(device_primes.get(), number_of_primes, bits.get(), limit, count.get());
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> expected_bits(bits.size(), ~0u);
  for (long i = 3; i <= limit; i += 2) {
    if (!composite[i]) expected_bits[i / 64] &= ~(1u << i / 2 % 32);
  }
  Verdict verdict(options);
  verdict.equal("words", bits.download(), expected_bits);
  verdict.equal("primes", count.download()[0] + 1, expected);  // plus 1 for the prime 2
  for (const auto& known :
       {std::pair<long, long>{100, 25}, {1000, 168}, {10000, 1229}, {100000, 9592}, {1000000, 78498}}) {
    if (limit == known.first) verdict.equal("known", static_cast<long>(expected), known.second);
  }
  return verdict.finish();
}
