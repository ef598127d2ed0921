// SHA-256 of many messages, one per thread: rotations as funnel shifts, the message schedule in local memory, round
// constants in constant memory, big-endian words by byte permutes.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__constant__ unsigned round_constant[64];

__device__ unsigned rotate(unsigned x, int n) { return __funnelshift_r(x, x, n); }

__device__ void compress(unsigned* state, const unsigned char* block) {
  unsigned w[64];
  for (int i = 0; i < 16; ++i) {
    const unsigned word = block[4 * i] | block[4 * i + 1] << 8 | block[4 * i + 2] << 16 | block[4 * i + 3] << 24;
    w[i] = __byte_perm(word, 0, 0x0123);
  }
  for (int i = 16; i < 64; ++i) {
    const unsigned s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    const unsigned s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  unsigned a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
           h = state[7];
  for (int i = 0; i < 64; ++i) {
    const unsigned s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const unsigned t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constant[i] + w[i];
    const unsigned s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const unsigned t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

__global__ void hash(const unsigned char* text, const int* first, unsigned* digests, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const int length = first[i + 1] - first[i];
  const unsigned char* message = text + first[i];
  int done = 0;
  for (; done + 64 <= length; done += 64) compress(state, message + done);
  unsigned char tail[128];  // remaining bytes, 0x80, zeros, the length in bits
  const int rest = length - done, total = rest < 56 ? 64 : 128;
  for (int k = 0; k < total; ++k) tail[k] = k < rest ? message[done + k] : k == rest ? 0x80 : 0;
  const unsigned long long bits = 8ull * length;
  for (int k = 0; k < 8; ++k) tail[total - 1 - k] = static_cast<unsigned char>(bits >> 8 * k);
  for (int k = 0; k < total; k += 64) compress(state, tail + k);
  for (int k = 0; k < 8; ++k) digests[8 * i + k] = state[k];
}

// Returns the leading 32 bits of the fractional part of the root (degree 2 or 3) of a prime. Searches the largest
// integer r with r^degree <= prime * 2^(32 degree). The constants of the standard are thus computed, not copied.
unsigned fraction_of_root(unsigned prime, int degree) {
  typedef unsigned __int128 Wide;
  std::uint64_t low = 0, high = 1ull << 37;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    const Wide square = static_cast<Wide>(middle) * middle;
    bool small = false;
    if (degree == 2) {
      small = square <= static_cast<Wide>(prime) << 64;
    } else {
      small = square <= (static_cast<Wide>(prime) << 96) / middle;
    }
    (small ? low : high) = middle;
  }
  return static_cast<unsigned>(low);
}

std::vector<unsigned> reference(const std::vector<unsigned char>& text, int first, int end, const unsigned* k) {
  std::vector<unsigned char> message(text.begin() + first, text.begin() + end);
  const std::uint64_t bits = 8 * message.size();
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8) message.push_back(static_cast<unsigned char>(bits >> shift));
  const auto turn = [](unsigned x, int n) { return x >> n | x << (32 - n); };
  std::vector<unsigned> state;
  for (unsigned prime : {2, 3, 5, 7, 11, 13, 17, 19}) state.push_back(fraction_of_root(prime, 2));
  for (std::size_t at = 0; at < message.size(); at += 64) {
    std::vector<unsigned> w(64), v = state;
    for (int i = 0; i < 64; ++i) {
      if (i < 16) {
        for (int b = 0; b < 4; ++b) w[i] = w[i] << 8 | message[at + 4 * i + b];
      } else {
        w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
      }
    }
    for (int i = 0; i < 64; ++i) {
      const unsigned choice = (v[4] & v[5]) | (~v[4] & v[6]), most = (v[0] & v[1]) | (v[0] & v[2]) | (v[1] & v[2]);
      const unsigned t = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + choice + k[i] + w[i];
      v.insert(v.begin(), t + (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + most);
      v.pop_back();
      v[4] += t;
    }
    for (int i = 0; i < 8; ++i) state[i] += v[i];
  }
  return state;
}

int main(int argc, char** argv) {
  long n = 200, longest = 200, seed = 1;
  Options options("sha256", "SHA-256 of many messages");
  options.add("n", &n, 1, 1 << 18, "messages; the first is 'abc'");
  options.add("longest", &longest, 3, 4096, "bytes of the longest message");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  std::vector<unsigned> constants, primes;
  for (unsigned p = 2; constants.size() < 64; ++p) {
    if (std::any_of(primes.begin(), primes.end(), [p](unsigned q) { return p % q == 0; })) continue;
    primes.push_back(p);
    constants.push_back(fraction_of_root(p, 3));
  }
  CUDA_CHECK(cudaMemcpyToSymbol(round_constant, constants.data(), 64 * sizeof(unsigned)));

  Random random(seed);
  std::vector<unsigned char> text = {'a', 'b', 'c'};
  std::vector<int> first = {0, 3};
  for (long i = 1; i < n; ++i) {
    for (long length = random.range(0, longest); length > 0; --length)
      text.push_back(static_cast<unsigned char>(random.next()));
    first.push_back(static_cast<int>(text.size()));
  }
  DeviceArray<unsigned char> device_text(text);
  DeviceArray<int> device_first(first);
  DeviceArray<unsigned> digests(8 * n);
  hash<<<blocks_for(n, 64), 64>>>(device_text.get(), device_first.get(), digests.get(), n);
  CUDA_CHECK(cudaGetLastError());
  std::vector<unsigned> expected;
  for (long i = 0; i < n; ++i) {
    const std::vector<unsigned> digest = reference(text, first[i], first[i + 1], constants.data());
    expected.insert(expected.end(), digest.begin(), digest.end());
  }
  const std::vector<unsigned> got = digests.download();
  Verdict verdict(options);
  verdict.equal("words", got, expected);
  verdict.holds("digest of 'abc'", got[0] == 0xba7816bf && got[7] == 0xf20015ad);
  return verdict.finish();
}
