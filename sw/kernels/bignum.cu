// Sums, differences and products of 256-bit numbers by carry chains in inline assembly: add.cc, addc.cc, sub.cc,
// subc.cc, mad.lo.cc and madc.hi.cc. The reference uses 64-bit limbs and 128-bit arithmetic of the host compiler.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

struct Number {
  unsigned limb[8];
};
struct Result {
  Number sum, difference;
  unsigned carry, borrow;
  unsigned product[16];
};

__device__ void add_numbers(const Number& a, const Number& b, Number& r, unsigned& carry) {
  asm volatile(
      "add.cc.u32 %0, %9, %17;\n\t"
      "addc.cc.u32 %1, %10, %18;\n\t"
      "addc.cc.u32 %2, %11, %19;\n\t"
      "addc.cc.u32 %3, %12, %20;\n\t"
      "addc.cc.u32 %4, %13, %21;\n\t"
      "addc.cc.u32 %5, %14, %22;\n\t"
      "addc.cc.u32 %6, %15, %23;\n\t"
      "addc.cc.u32 %7, %16, %24;\n\t"
      "addc.u32 %8, 0, 0;"
      : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
        "=&r"(r.limb[6]), "=&r"(r.limb[7]), "=&r"(carry)
      : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]), "r"(a.limb[6]),
        "r"(a.limb[7]), "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]), "r"(b.limb[4]), "r"(b.limb[5]),
        "r"(b.limb[6]), "r"(b.limb[7]));
}

__device__ void subtract(const Number& a, const Number& b, Number& r, unsigned& borrow) {
  asm volatile(
      "sub.cc.u32 %0, %9, %17;\n\t"
      "subc.cc.u32 %1, %10, %18;\n\t"
      "subc.cc.u32 %2, %11, %19;\n\t"
      "subc.cc.u32 %3, %12, %20;\n\t"
      "subc.cc.u32 %4, %13, %21;\n\t"
      "subc.cc.u32 %5, %14, %22;\n\t"
      "subc.cc.u32 %6, %15, %23;\n\t"
      "subc.cc.u32 %7, %16, %24;\n\t"
      "subc.u32 %8, 0, 0;"
      : "=&r"(r.limb[0]), "=&r"(r.limb[1]), "=&r"(r.limb[2]), "=&r"(r.limb[3]), "=&r"(r.limb[4]), "=&r"(r.limb[5]),
        "=&r"(r.limb[6]), "=&r"(r.limb[7]), "=&r"(borrow)
      : "r"(a.limb[0]), "r"(a.limb[1]), "r"(a.limb[2]), "r"(a.limb[3]), "r"(a.limb[4]), "r"(a.limb[5]), "r"(a.limb[6]),
        "r"(a.limb[7]), "r"(b.limb[0]), "r"(b.limb[1]), "r"(b.limb[2]), "r"(b.limb[3]), "r"(b.limb[4]), "r"(b.limb[5]),
        "r"(b.limb[6]), "r"(b.limb[7]));
}

// Adds a * b to the three-word accumulator (w2, w1, w0); w0 is the low word.
__device__ void multiply_add(unsigned a, unsigned b, unsigned& w0, unsigned& w1, unsigned& w2) {
  asm volatile(
      "mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
      "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"
      "addc.u32 %2, %2, 0;"
      : "+r"(w0), "+r"(w1), "+r"(w2)
      : "r"(a), "r"(b));
}

__global__ void compute(const Number* a, const Number* b, Result* results, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Result r;
  add_numbers(a[i], b[i], r.sum, r.carry);
  subtract(a[i], b[i], r.difference, r.borrow);
  unsigned w0 = 0, w1 = 0, w2 = 0;  // accumulator; the product is computed column by column
  for (int column = 0; column < 16; ++column) {
    for (int j = max(0, column - 7); j <= min(7, column); ++j) {
      multiply_add(a[i].limb[j], b[i].limb[column - j], w0, w1, w2);
    }
    r.product[column] = w0;
    w0 = w1;
    w1 = w2;
    w2 = 0;
  }
  r.borrow &= 1;  // subc leaves 0 or -1 as the borrow
  results[i] = r;
}

typedef unsigned __int128 Wide;

std::uint64_t limb64(const Number& x, int i) {
  return x.limb[2 * i] | static_cast<std::uint64_t>(x.limb[2 * i + 1]) << 32;
}

Result reference(const Number& a, const Number& b) {
  Result r;
  std::uint64_t product[8] = {};
  Wide carry = 0, borrow = 0;
  for (int i = 0; i < 4; ++i) {
    carry += static_cast<Wide>(limb64(a, i)) + limb64(b, i);
    const std::uint64_t sum = static_cast<std::uint64_t>(carry);
    carry >>= 64;
    const Wide difference = static_cast<Wide>(limb64(a, i)) - limb64(b, i) - borrow;
    borrow = difference >> 127;
    for (int half = 0; half < 2; ++half) {
      r.sum.limb[2 * i + half] = static_cast<unsigned>(sum >> 32 * half);
      r.difference.limb[2 * i + half] = static_cast<unsigned>(difference >> 32 * half);
    }
    Wide row = 0;
    for (int j = 0; j < 4; ++j) {
      row += static_cast<Wide>(limb64(a, i)) * limb64(b, j) + product[i + j];
      product[i + j] = static_cast<std::uint64_t>(row);
      row >>= 64;
    }
    product[i + 4] = static_cast<std::uint64_t>(row);
  }
  r.carry = static_cast<unsigned>(carry);
  r.borrow = static_cast<unsigned>(borrow);
  for (int i = 0; i < 16; ++i) r.product[i] = static_cast<unsigned>(product[i / 2] >> 32 * (i % 2));
  return r;
}

int main(int argc, char** argv) {
  long n = 1000, seed = 1;
  Options options("bignum", "256-bit arithmetic by carry chains");
  options.add("n", &n, 1, 1 << 20, "pairs of numbers");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<Number> a(n), b(n);
  for (std::vector<Number>* numbers : {&a, &b}) {
    for (Number& x : *numbers) {
      // Limbs of all zeros or all ones make long carry chains likely.
      for (unsigned& limb : x.limb) {
        const long kind = random.range(0, 3);
        limb = kind == 0 ? 0 : kind == 1 ? ~0u : static_cast<unsigned>(random.next());
      }
    }
  }
  DeviceArray<Number> device_a(a), device_b(b);
  DeviceArray<Result> results(n);
  compute<<<blocks_for(n, 64), 64>>>(device_a.get(), device_b.get(), results.get(), n);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> got, expected;
  const std::vector<Result> downloaded = results.download();
  for (long i = 0; i < n; ++i) {
    const Result want = reference(a[i], b[i]);
    const unsigned* words = reinterpret_cast<const unsigned*>(&downloaded[i]);
    got.insert(got.end(), words, words + sizeof(Result) / sizeof(unsigned));
    words = reinterpret_cast<const unsigned*>(&want);
    expected.insert(expected.end(), words, words + sizeof(Result) / sizeof(unsigned));
  }
  Verdict verdict(options);
  verdict.equal("words", got, expected);
  return verdict.finish();
}
