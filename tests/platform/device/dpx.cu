// Functions of dynamic programming (__viaddmax_s32 ...), on the device and on the host, against their definitions in
// wide integers: sums wrap at the width of their type, then are compared.
#include <cuda_runtime.h>

#include "check.h"

constexpr int kWords = 44;

// Both sides run the same calls.
__host__ __device__ void call_all(unsigned a, unsigned b, unsigned c, unsigned* r) {
  const int sa = static_cast<int>(a), sb = static_cast<int>(b), sc = static_cast<int>(c);
  bool high = false, low = false;
  int k = 0;
#define THREE(name)                                            \
  r[k++] = static_cast<unsigned>(name##_s32(sa, sb, sc));      \
  r[k++] = name##_u32(a, b, c);                                \
  r[k++] = name##_s16x2(a, b, c);                              \
  r[k++] = name##_u16x2(a, b, c);                              \
  r[k++] = static_cast<unsigned>(name##_s32_relu(sa, sb, sc)); \
  r[k++] = name##_s16x2_relu(a, b, c);
  THREE(__vimax3)
  THREE(__vimin3)
  THREE(__viaddmax)
  THREE(__viaddmin)
#undef THREE
#define TWO(name)                                          \
  r[k++] = static_cast<unsigned>(name##_s32_relu(sa, sb)); \
  r[k++] = name##_s16x2_relu(a, b);
  TWO(__vimax)
  TWO(__vimin)
#undef TWO
#define PREDICATES(name)                                    \
  r[k++] = static_cast<unsigned>(name##_s32(sa, sb, &low)); \
  r[k++] = low;                                             \
  r[k++] = name##_u32(a, b, &low);                          \
  r[k++] = low;                                             \
  r[k++] = name##_s16x2(a, b, &high, &low);                 \
  r[k++] = 2 * high + low;                                  \
  r[k++] = name##_u16x2(a, b, &high, &low);                 \
  r[k++] = 2 * high + low;
  PREDICATES(__vibmax)
  PREDICATES(__vibmin)
#undef PREDICATES
}

__global__ void on_device(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) call_all(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + kWords * i);
}

// The number that the low `bits` bits of a word stand for.
long long number(unsigned long long word, int bits, bool is_signed) {
  const long long v = static_cast<long long>(word & ((1ull << bits) - 1));
  return is_signed && (v >> (bits - 1)) != 0 ? v - (1ll << bits) : v;
}

enum class Use { kPlain, kAdd };

// Each lane of `bits` bits: the largest (or smallest) of the numbers, of the wrapped sum of the first two and the
// third, or with `relu` zero if that is below zero.
unsigned lanes(const unsigned (&in)[3], int count, int bits, bool is_signed, bool largest, Use use, bool relu) {
  unsigned long long word = 0;
  for (int at = 0; at < 32; at += bits) {
    long long v[3];
    for (int i = 0; i < count; ++i) v[i] = number(in[i] >> at, bits, is_signed);
    int first = 0;
    if (use == Use::kAdd) {
      v[1] = number(static_cast<unsigned long long>(v[0] + v[1]), bits, is_signed);
      first = 1;
    }
    long long best = v[first];
    for (int i = first + 1; i < count; ++i) {
      if (largest ? v[i] > best : v[i] < best) best = v[i];
    }
    if (relu && best < 0) best = 0;
    word |= (static_cast<unsigned long long>(best) & ((1ull << bits) - 1)) << at;
  }
  return static_cast<unsigned>(word);
}

// One bit for each lane, the lowest lane's first: whether the first number is at least (or at most) the second.
unsigned predicates(const unsigned (&in)[3], int bits, bool is_signed, bool largest) {
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits) {
    const long long x = number(in[0] >> at, bits, is_signed), y = number(in[1] >> at, bits, is_signed);
    if (largest ? x >= y : x <= y) result |= 1u << (at / bits);
  }
  return result;
}

void check(const char* side, const unsigned (&in)[3], const unsigned* r) {
  int k = 0;
  for (Use use : {Use::kPlain, Use::kAdd}) {
    for (bool largest : {true, false}) {
      for (int bits : {32, 16}) {
        for (bool is_signed : {true, false})
          EXPECT_SAME(side, r[k++], lanes(in, 3, bits, is_signed, largest, use, false));
      }
      for (int bits : {32, 16}) EXPECT_SAME(side, r[k++], lanes(in, 3, bits, true, largest, use, true));
    }
  }
  for (bool largest : {true, false}) {
    for (int bits : {32, 16}) EXPECT_SAME(side, r[k++], lanes(in, 2, bits, true, largest, Use::kPlain, true));
  }
  for (bool largest : {true, false}) {
    for (int bits : {32, 16}) {
      for (bool is_signed : {true, false}) {
        EXPECT_SAME(side, r[k++], lanes(in, 2, bits, is_signed, largest, Use::kPlain, false));
        EXPECT_SAME(side, r[k++], predicates(in, bits, is_signed, largest));
      }
    }
  }
  EXPECT_SAME("results of a call", k, kWords);
}

int main() {
  constexpr int kEdges = 12, kCount = kEdges * kEdges * kEdges + 500;
  const unsigned edges[kEdges] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000, 0x80000001,
                                  0x7fff7fff, 0x80008000, 0xffff0001, 0x8000ffff, 0x00017fff, 0x0000ffff};
  Shared<unsigned> in(3 * kCount), out(kWords * kCount);
  Random random{11};
  for (int i = 0; i < kCount; ++i) {
    int rest = i;
    for (int n = 0; n < 3; ++n, rest /= kEdges) {
      in[3 * i + n] = i < kEdges * kEdges * kEdges ? edges[rest % kEdges] : random.next();
    }
  }
  on_device<<<(kCount + 63) / 64, 64>>>(in.get(), out.get(), kCount);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) {
    const unsigned three[3] = {in[3 * i], in[3 * i + 1], in[3 * i + 2]};
    check("device", three, &out[kWords * i]);
    unsigned host[kWords];
    call_all(three[0], three[1], three[2], host);
    check("host", three, host);
  }
  return verdict();
}
