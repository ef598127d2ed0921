// Byte processing of a text: upper case, number of words by ballots, letter counts, and positions of a pattern in
// constant memory. A word begins where a letter follows a character that is not a letter.
#include <cuda_runtime.h>

#include <cctype>

#include "common/program.h"

using namespace kernels;

__constant__ char pattern[32];

struct Stats {
  unsigned words, matches, letters[26];
};

__device__ bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

__global__ void analyse(const char* text, char* upper, int n, int pattern_length, Stats* stats) {
  __shared__ Stats of_block;
  unsigned* const counters = &of_block.words;
  for (int i = threadIdx.x; i < sizeof(Stats) / sizeof(unsigned); i += blockDim.x) counters[i] = 0;
  __syncthreads();

  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const char c = i < n ? text[i] : ' ';
  const unsigned letters = __ballot_sync(0xffffffffu, is_letter(c));
  if (i < n) {
    const char folded = is_letter(c) ? static_cast<char>(c & ~0x20) : c;
    upper[i] = folded;
    if (is_letter(c)) atomicAdd(&of_block.letters[folded - 'A'], 1u);
    bool match = i + pattern_length <= n;
    for (int j = 0; match && j < pattern_length; ++j) match = text[i + j] == pattern[j];
    if (match) atomicAdd(&of_block.matches, 1u);
  }
  if (threadIdx.x % 32 == 0) {
    const unsigned before = i > 0 && i <= n ? is_letter(text[i - 1]) : 0;
    atomicAdd(&of_block.words, __popc(letters & ~(letters << 1 | before)));
  }
  __syncthreads();
  unsigned* const totals = &stats->words;
  for (int k = threadIdx.x; k < sizeof(Stats) / sizeof(unsigned); k += blockDim.x) {
    if (counters[k] != 0) atomicAdd(&totals[k], counters[k]);
  }
}

int main(int argc, char** argv) {
  long n = 10000, block = 160, seed = 1;
  Options options("text_stats", "upper case, words, letters and matches of a text");
  options.add("n", &n, 1, 1 << 24, "characters");
  options.add("block", &block, 32, 1024, "threads of a block, a multiple of 32");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the text");
  options.parse(argc, argv);
  if (block % 32 != 0) options.fail("option 'block' is a multiple of 32");

  const std::string needle = "warp";
  const char* vocabulary[] = {"warp", "Thread", "block", "warpwarp", "GPU", "x", "memory", "lane7", "wa", "barrier"};
  const char* separators[] = {" ", ", ", ".\n", "-", "  ", "\t", ""};
  Random random(seed);
  std::string text;
  while (static_cast<long>(text.size()) < n) {
    text += vocabulary[random.range(0, 9)];
    text += separators[random.range(0, 6)];
  }
  text.resize(n);

  CUDA_CHECK(cudaMemcpyToSymbol(pattern, needle.data(), needle.size()));
  DeviceArray<char> device_text(std::vector<char>(text.begin(), text.end())), upper(n);
  DeviceArray<Stats> stats(1);
  stats.fill_bytes(0);
  analyse<<<blocks_for(n, block), block>>>(device_text.get(), upper.get(), n, needle.size(), stats.get());
  CUDA_CHECK(cudaGetLastError());

  std::vector<char> expected_upper(n);
  std::vector<unsigned> letters(26);
  unsigned words = 0, matches = 0;
  for (long i = 0; i < n; ++i) {
    expected_upper[i] = static_cast<char>(std::toupper(text[i]));
    if (std::isalpha(text[i])) {
      ++letters[expected_upper[i] - 'A'];
      words += i == 0 || !std::isalpha(text[i - 1]);
    }
  }
  for (std::size_t at = text.find(needle); at != std::string::npos; at = text.find(needle, at + 1)) ++matches;
  const Stats got = stats.download()[0];
  Verdict verdict(options);
  verdict.equal("upper case", upper.download(), expected_upper);
  verdict.equal("words", got.words, words);
  verdict.equal("matches", got.matches, matches);
  verdict.equal("letters", std::vector<unsigned>(got.letters, got.letters + 26), letters);
  return verdict.finish();
}
