// The generators of curand_kernel.h: published values, and slow references on the host that know no jumps.
#include <curand_kernel.h>

#include <array>
#include <utility>

#include "check.h"

namespace {

// XORWOW, a step at a time (Marsaglia 2003).
struct Xorwow {
  std::array<unsigned, 5> v;
  unsigned d;
  unsigned next() {
    const unsigned t = v[0] ^ (v[0] >> 2);
    v = {v[1], v[2], v[3], v[4], v[4] ^ (v[4] << 4) ^ t ^ (t << 1)};
    return v[4] + (d += 362437);
  }
};

// A linear map of 160 bits: what it makes of each bit.
using Bits = std::array<unsigned, 5>;
struct Map {
  std::vector<Bits> column = std::vector<Bits>(160);
  Bits operator()(const Bits& v) const {
    Bits r{};
    for (int i = 0; i < 160; ++i) {
      if ((v[i / 32] >> (i % 32)) & 1u) {
        for (int w = 0; w < 5; ++w) r[w] ^= column[i][w];
      }
    }
    return r;
  }
  Map after(const Map& first) const {
    Map r;
    for (int i = 0; i < 160; ++i) r.column[i] = (*this)(first.column[i]);
    return r;
  }
};
Map one_step() {
  Map m;
  for (int i = 0; i < 160; ++i) {
    Xorwow x{{}, 0};
    x.v[i / 32] = 1u << (i % 32);
    x.next();
    m.column[i] = x.v;
  }
  return m;
}

template <class State>
__global__ void draw(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, unsigned n,
                     unsigned* out) {
  State s;
  curand_init(seed, subsequence + threadIdx.x, offset, &s);
  for (unsigned i = 0; i < n; ++i) out[threadIdx.x * n + i] = curand(&s);
}
template <class State>
std::vector<unsigned> drawn(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            unsigned n, unsigned threads = 1) {
  Shared<unsigned> out(n * threads);
  draw<State><<<1, threads>>>(seed, subsequence, offset, n, out.get());
  CUDA_OK(cudaDeviceSynchronize());
  return {out.get(), out.get() + n * threads};
}

__global__ void first_uniform(float* out) {
  curandState s;
  curand_init(1234, threadIdx.x, 0, &s);
  out[threadIdx.x] = curand_uniform(&s);
}

// Every entry of the tables, as maps: the powers that they stand for come from squaring the step's matrix.
__global__ void table_jump(int entry, int sequences, unsigned* v) {
  unsigned int w[5];
  for (int i = 0; i < 5; ++i) w[i] = v[i];
  castor_xorwow_jump(w, sequences ? castor_xorwow_sequences[entry] : castor_xorwow_steps[entry]);
  for (int i = 0; i < 5; ++i) v[5 + i] = w[i];
}

void xorwow() {
  Shared<float> uniform(10);
  first_uniform<<<1, 10>>>(uniform.get());
  CUDA_OK(cudaDeviceSynchronize());
  // Seed 1234, the first number of each of ten subsequences: what was computed once, so that no release changes it unseen.
  const char* shown[] = {"0.1455", "0.8202", "0.5504", "0.2948", "0.9147",
                         "0.8690", "0.3219", "0.7829", "0.0113", "0.2855"};
  for (int i = 0; i < 10; ++i) {
    char text[16];
    std::snprintf(text, sizeof text, "%.4f", uniform[i]);
    EXPECT_SAME("uniform of seed 1234", std::strcmp(text, shown[i]), 0);
  }
  // Offsets, step by step.
  const std::vector<unsigned> long_run = drawn<curandState>(99, 3, 0, 5000);
  for (unsigned offset : {1u, 2u, 3u, 4u, 7u, 64u, 1000u, 4095u}) {
    const std::vector<unsigned> skipped = drawn<curandState>(99, 3, offset, 10);
    for (unsigned i = 0; i < 10; ++i) EXPECT_SAME("number behind an offset", skipped[i], long_run[offset + i]);
  }
  // The recurrence itself: a run of five numbers, less the Weyl sequence, gives the words.
  const unsigned d0 = 6615241u + (99u ^ 0xaad26b49u) * 1099087573u + 0xf7dcefddu * 2591861531u;
  Xorwow x{{}, d0 + 5 * 362437u};
  for (unsigned k = 0; k < 5; ++k) x.v[k] = long_run[k] - (d0 + (k + 1) * 362437u);
  for (unsigned k = 5; k < 5000; ++k) EXPECT_SAME("recurrence", long_run[k], x.next());
  std::vector<Map> powers = {one_step()};
  for (int k = 1; k < 67 + 64; ++k) powers.push_back(powers.back().after(powers.back()));
  Shared<unsigned> v(10);
  Random random{17};
  for (int sequences = 0; sequences < 2; ++sequences) {
    const int bits = sequences ? 4 : 2;
    const int digits = 64 / bits, each = (1 << bits) - 1;
    for (int entry = 0; entry < digits * each; ++entry) {
      Bits want;
      for (int i = 0; i < 5; ++i) want[i] = v[i] = random.next();
      const int digit = entry % each + 1;
      for (int b = 0; b < bits; ++b) {
        if ((digit >> b) & 1) want = powers[(sequences ? 67 : 0) + entry / each * bits + b](want);
      }
      table_jump<<<1, 1>>>(entry, sequences, v.get());
      CUDA_OK(cudaDeviceSynchronize());
      for (int i = 0; i < 5; ++i) EXPECT_SAME("jump of the table", v[5 + i], want[i]);
    }
  }
}

__global__ void philox_known(uint4* out) {
  out[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  out[1] = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
  out[2] = curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
                                make_uint2(0xa4093822, 0x299f31d0));
}
__global__ void philox_fours(unsigned first, unsigned* out) {
  curandStatePhilox4_32_10_t s;
  curand_init(0x123456789abcull, 5, 0xfffffffcull * 4 + first, &s);
  for (int i = 0; i < 8; ++i) {
    const uint4 v = curand4(&s);
    out[4 * i] = v.x;
    out[4 * i + 1] = v.y;
    out[4 * i + 2] = v.z;
    out[4 * i + 3] = v.w;
  }
}
void philox() {
  Shared<uint4> known(3);
  philox_known<<<1, 1>>>(known.get());
  CUDA_OK(cudaDeviceSynchronize());
  // The known answers of Random123.
  const unsigned want[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                               {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                               {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_SAME("philox x", known[i].x, want[i][0]);
    EXPECT_SAME("philox y", known[i].y, want[i][1]);
    EXPECT_SAME("philox z", known[i].z, want[i][2]);
    EXPECT_SAME("philox w", known[i].w, want[i][3]);
  }
  using State = curandStatePhilox4_32_10_t;
  // Over the carry out of the lowest word of the counter, from every place within four.
  const std::vector<unsigned> run = drawn<State>(0x123456789abcull, 5, 0xfffffffcull * 4, 80);
  for (unsigned first = 0; first < 9; ++first) {
    const std::vector<unsigned> skipped = drawn<State>(0x123456789abcull, 5, 0xfffffffcull * 4 + first, 40);
    Shared<unsigned> fours(32);
    philox_fours<<<1, 1>>>(first, fours.get());
    CUDA_OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 40; ++i) EXPECT_SAME("philox behind an offset", skipped[i], run[first + i]);
    for (unsigned i = 0; i < 32; ++i) EXPECT_SAME("philox by fours", fours[i], run[first + i]);
  }
  EXPECT_SAME("first number of seed 0", drawn<State>(0, 0, 0, 1)[0], 0x6627e8d5u);
}

__global__ void mrg_states(unsigned* out, double* uniform) {
  curandStateMRG32k3a_t s;
  curand_init(0, 0, 0, &s);
  for (int i = 0; i < 3; ++i) uniform[i] = curand_uniform_double(&s);
  curand_init(0, 0, 0, &s);
  for (int stream = 0; stream < 2; ++stream) {
    skipahead_sequence(1, &s);
    for (int i = 0; i < 3; ++i) {
      out[6 * stream + i] = s.s1[i];
      out[6 * stream + 3 + i] = s.s2[i];
    }
  }
  // 2^51 substreams are a stream.
  curand_init(0, 1ull << 51, 0, &s);
  for (int i = 0; i < 3; ++i) {
    out[12 + i] = s.s1[i];
    out[15 + i] = s.s2[i];
  }
}
void mrg32k3a() {
  Shared<unsigned> states(18);
  Shared<double> uniform(3);
  mrg_states<<<1, 1>>>(states.get(), uniform.get());
  CUDA_OK(cudaDeviceSynchronize());
  // L'Ecuyer's package for streams: the first numbers of the first stream, the seeds of the second and third.
  EXPECT_SAME("first of the default stream", uniform[0], 0.12701112204657714);
  EXPECT_SAME("second of the default stream", uniform[1], 0.3185275653967945);
  EXPECT_SAME("third of the default stream", uniform[2], 0.3091860155832701);
  const unsigned seeds[] = {3692455944u, 1366884236u, 2968912127u, 335948734u, 4161675175u, 475798818u,
                            1015873554u, 1310354410u, 2249465273u, 994084013u, 2912484720u, 3876682925u};
  for (int i = 0; i < 12; ++i) EXPECT_SAME("seeds of streams", states[i], seeds[i]);
  for (int i = 0; i < 6; ++i) EXPECT_SAME("substreams of a stream", states[12 + i], seeds[i]);
  using State = curandStateMRG32k3a_t;
  const std::vector<unsigned> run = drawn<State>(4711, 2, 0, 3000);
  for (unsigned offset : {1u, 2u, 5u, 100u, 2047u}) {
    const std::vector<unsigned> skipped = drawn<State>(4711, 2, offset, 10);
    for (unsigned i = 0; i < 10; ++i) EXPECT_SAME("MRG32k3a behind an offset", skipped[i], run[offset + i]);
  }
}

// Distributions: moments of many numbers, and the pairs that single normal numbers come from.
constexpr unsigned kDraws = 200;
constexpr unsigned kStates = 256;
constexpr int kKinds = 9;
template <class State>
__global__ void distributions(double* out) {
  State s;
  curand_init(2024, threadIdx.x, 0, &s);
  for (unsigned i = 0; i < kDraws; ++i) {
    double* o = out + (threadIdx.x * kDraws + i) * kKinds;
    o[0] = curand_uniform(&s);
    o[1] = curand_uniform_double(&s);
    o[2] = curand_normal(&s);
    o[3] = curand_normal_double(&s);
    o[4] = log(static_cast<double>(curand_log_normal(&s, 1.0f, 0.5f)));
    o[5] = log(curand_log_normal_double(&s, -1.0, 2.0));
    o[6] = curand_poisson(&s, 3.0);
    o[7] = curand_poisson(&s, 40.0);
    o[8] = curand_poisson(&s, 1000.0);
  }
}
template <class State>
void check_distributions(const char* name) {
  Shared<double> out(kStates * kDraws * kKinds);
  distributions<State><<<1, kStates>>>(out.get());
  CUDA_OK(cudaDeviceSynchronize());
  const double mean[] = {0.5, 0.5, 0, 0, 1.0, -1.0, 3, 40, 1000};
  const double variance[] = {1 / 12.0, 1 / 12.0, 1, 1, 0.25, 4, 3, 40, 1000};
  const double n = kStates * kDraws;
  for (int kind = 0; kind < kKinds; ++kind) {
    double sum = 0, squares = 0, least = 1e9;
    for (unsigned i = 0; i < kStates * kDraws; ++i) {
      const double x = out[i * kKinds + kind];
      sum += x;
      squares += (x - mean[kind]) * (x - mean[kind]);
      least = std::min(least, x);
      if (kind < 2 && !(x > 0 && x <= 1) && failures()++ < 20) std::printf("%s: uniform %g\n", name, x);
    }
    // Five standard deviations of the mean; the variance of a variance is below 2.5 times its square here.
    const bool good = std::fabs(sum / n - mean[kind]) < 5 * std::sqrt(variance[kind] / n) &&
                      std::fabs(squares / n / variance[kind] - 1) < 5 * std::sqrt(2.5 / n);
    if (!good && failures()++ < 20) {
      std::printf("%s, distribution %d: mean %g, variance %g\n", name, kind, sum / n, squares / n);
    }
  }
}

__global__ void normal_pairs(double* out) {
  curandState a, b, c;
  curand_init(7, 7, 0, &a);
  b = c = a;
  const float2 pair = curand_normal2(&a);
  out[0] = pair.x - curand_normal(&b);
  out[1] = pair.y - curand_normal(&b);
  out[2] = static_cast<double>(curand(&a)) - static_cast<double>(curand(&b));
  const unsigned x = curand(&c), y = curand(&c);
  out[3] = pair.x;
  out[4] = x;
  out[5] = y;
}
void normals() {
  Shared<double> out(6);
  normal_pairs<<<1, 1>>>(out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; ++i) EXPECT_SAME("single normals are the pair", out[i], 0.0);
  const double u = (out[4] + 0.5) / 4294967296.0, v = (out[5] + 0.5) / 4294967296.0;
  const double want = std::sqrt(-2 * std::log(u)) * std::sin(2 * 3.14159265358979323846 * v);
  if (std::fabs(out[3] - want) > 1e-5) EXPECT_SAME("Box and Muller's sine", out[3], want);
}

}  // namespace

int main() {
  xorwow();
  philox();
  mrg32k3a();
  normals();
  check_distributions<curandState>("XORWOW");
  check_distributions<curandStatePhilox4_32_10_t>("Philox");
  check_distributions<curandStateMRG32k3a_t>("MRG32k3a");
  return verdict();
}
