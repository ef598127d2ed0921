// Structures with bit fields, with arrays of 128-bit integers and with members that are not aligned by value through
// functions that are not inlined, called by name and by address; division and conversion of 128-bit integers.
#include <cuda_runtime.h>

#include "check.h"

#define NOT_INLINED __attribute__((noinline)) __host__ __device__

struct Wide {
  unsigned a : 3;
  int b : 13;
  unsigned long long c : 40;
};
struct Mixed {
  long long x;
  unsigned f : 17;
  unsigned g : 7;
};
struct Small {
  unsigned char a : 3, b : 5;
  unsigned short c : 9;
};
struct Odd {
  unsigned a : 20;
  unsigned b : 20;
  unsigned char c;
};
struct __attribute__((packed)) Packed {
  unsigned char k;
  unsigned a : 22;
  unsigned long long b : 49;
};
struct Pair {
  __int128 v[2];
};
struct Single {
  __int128 v;
  int k;
};
struct Nested {
  char c;
  Single s[2];
  Wide w[2];
};
template <class T>
struct Three {
  T v[3];
};

NOT_INLINED Wide change(Wide w) {
  w.a += 1;
  w.b -= 5;
  w.c *= 3;
  return w;
}
NOT_INLINED Mixed change(Mixed m, int k) {
  m.x += k;
  m.f ^= 0x155;
  m.g += 3;
  return m;
}
NOT_INLINED Small change(Small s) {
  s.a ^= 5;
  s.b += 7;
  s.c -= 1;
  return s;
}
NOT_INLINED Odd change(Odd o) {
  o.a += o.b;
  o.b ^= 0x3ff;
  o.c += 1;
  return o;
}
NOT_INLINED Packed change(Packed p) {
  p.a += p.k;
  p.b -= p.a;
  return p;
}
NOT_INLINED Pair change(Pair p) {
  p.v[0] += p.v[1];
  p.v[1] = p.v[0] * 7;
  return p;
}
NOT_INLINED Single change(Single s) {
  s.v <<= s.k;
  s.k += 1;
  return s;
}
NOT_INLINED Nested change(Nested n, int i) {
  n.s[i & 1].v += n.c;
  n.w[~i & 1] = change(n.w[i & 1]);
  return n;
}
NOT_INLINED Three<__int128> change(Three<__int128> t) {
  t.v[1] -= t.v[0];
  t.v[2] ^= t.v[1];
  return t;
}
NOT_INLINED __int128 product(__int128 a, __int128 b) { return a * b + 5; }

struct __attribute__((packed)) Tight {
  unsigned char k;
  unsigned b : 11;
};
struct __attribute__((packed)) Unaligned {
  unsigned char k;
  int number;
  double real;
  const int* pointer;
  short last;
};
struct Outer {
  Pair pair;
  int k;
};
NOT_INLINED Tight change(Tight t) {
  t.b += t.k;
  t.k ^= 0x5a;
  return t;
}
NOT_INLINED Unaligned change(Unaligned u) {
  u.number -= u.k;
  u.real *= u.number;
  u.last = static_cast<short>(u.last + *u.pointer);
  return u;
}
NOT_INLINED Outer change(Outer o) {
  o.k += 1;
  o.pair.v[o.k & 1] -= o.k;
  return o;
}
NOT_INLINED __int128 element(Pair p, int i) { return p.v[i & 1] * 3; }
NOT_INLINED unsigned long long sum(Wide w, const Wide& other, Wide last) {
  w.a += 1;
  return w.c + other.b + last.a + w.a;
}

// Constants of such types, an element's address in a variable, and arguments that come from either.
__constant__ Pair constant_pair = {{5, -7}};
__device__ Outer variable_outer = {{{3, 4}}, 9};
constexpr Wide kWide = {5, -77, 0x123456789a};
__device__ Wide variable_wide[2] = {{1, 2, 3}, {4, -5, 6}};

struct Values {
  Wide wide;
  Mixed mixed;
  Small small;
  Odd odd;
  Packed packed;
  Pair pair;
  Single single;
  Nested nested;
  Three<__int128> three;
  __int128 product;
  Tight tight;
  Unaligned unaligned;
  Outer outer;
};

__host__ __device__ void all(Values& r, int s) {
  Wide w;
  w.a = s;
  w.b = s * 7;
  w.c = 0x123456789ull * s;
  r.wide = change(w);
  Mixed m;
  m.x = s;
  m.f = s * 1234;
  m.g = s;
  r.mixed = change(m, s);
  Small q;
  q.a = s;
  q.b = s + 1;
  q.c = s * 100;
  r.small = change(q);
  Odd o;
  o.a = s * 54321;
  o.b = s * 12345;
  o.c = s;
  r.odd = change(o);
  Packed p;
  p.k = s;
  p.a = s * 99991;
  p.b = 0xfedcba987654ull * s;
  r.packed = change(p);
  Pair pair;
  pair.v[0] = static_cast<__int128>(s) << 70;
  pair.v[1] = -s;
  r.pair = change(pair);
  Single v;
  v.v = s;
  v.k = 65;
  r.single = change(v);
  Nested n = {};
  n.c = static_cast<char>(s);
  n.s[s & 1] = v;
  n.w[0] = n.w[1] = w;
  r.nested = change(n, s);
  Three<__int128> t;
  for (int i = 0; i < 3; ++i) t.v[i] = (static_cast<__int128>(s) << (40 * i)) - i;
  r.three = change(t);
  r.product = product(static_cast<__int128>(s) << 66, -s);
  Tight tight;
  tight.k = s;
  tight.b = s * 77;
  Tight (*by_address)(Tight) = s & 1 ? static_cast<Tight (*)(Tight)>(change) : nullptr;
  r.tight = by_address != nullptr ? by_address(tight) : change(tight);
  const int add = s * 3;
  Unaligned u = {static_cast<unsigned char>(s), s * 1000, 0.5 * s, &add, static_cast<short>(-s)};
  r.unaligned = change(u);
  r.unaligned.pointer = nullptr;
  Outer outer;
  outer.pair = pair;
  outer.k = s;
  r.outer = change(outer);
  tight.b += 1;  // the argument was a copy
  r.tight.k ^= tight.b & 3;
}
__global__ void all_of(Values* r, int s) { all(r[threadIdx.x], s + static_cast<int>(threadIdx.x)); }

struct FromVariables {
  __int128 first, second;
  unsigned long long sum;
  Tight tight;
  Pair pair;
};
__global__ void from_variables(FromVariables* r, Tight tight, Pair pair) {
  r->first = element(constant_pair, static_cast<int>(threadIdx.x));
  r->second = element(variable_outer.pair, 1);
  r->sum = sum(kWide, variable_wide[1], variable_wide[threadIdx.x]);
  r->tight = change(tight);
  r->pair = change(pair);
}

void same(const char* what, __int128 got, __int128 want) {
  EXPECT_SAME(what, static_cast<unsigned long long>(got >> 64), static_cast<unsigned long long>(want >> 64));
  EXPECT_SAME(what, static_cast<unsigned long long>(got), static_cast<unsigned long long>(want));
}
void same(const char* what, const Wide& a, const Wide& b) {
  same(what, a.a, b.a);
  same(what, a.b, b.b);
  same(what, a.c, b.c);
}

void check_structures() {
  constexpr int kThreads = 16;
  Shared<Values> got(kThreads);
  all_of<<<1, kThreads>>>(got.get(), 5);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kThreads; ++i) {
    Values want;
    std::memset(static_cast<void*>(&want), 0, sizeof want);
    all(want, 5 + i);
    const Values& a = got[i];
    same("wide", a.wide, want.wide);
    same("mixed", a.mixed.x + 8 * a.mixed.f + (1 << 30) * a.mixed.g,
         want.mixed.x + 8 * want.mixed.f + (1 << 30) * want.mixed.g);
    same("small", a.small.a + 8 * a.small.b + 256 * a.small.c, want.small.a + 8 * want.small.b + 256 * want.small.c);
    same("odd", a.odd.a, want.odd.a);
    same("odd", a.odd.b, want.odd.b);
    same("odd", a.odd.c, want.odd.c);
    same("packed", a.packed.k, want.packed.k);
    same("packed", a.packed.a, want.packed.a);
    same("packed", a.packed.b, want.packed.b);
    for (int k = 0; k < 2; ++k) {
      same("pair", a.pair.v[k], want.pair.v[k]);
      same("nested", a.nested.s[k].v, want.nested.s[k].v);
      same("nested", a.nested.w[k], want.nested.w[k]);
    }
    same("single", a.single.v, want.single.v);
    same("single", a.single.k, want.single.k);
    for (int k = 0; k < 3; ++k) same("three", a.three.v[k], want.three.v[k]);
    same("product", a.product, want.product);
    same("tight", a.tight.k, want.tight.k);
    same("tight", a.tight.b, want.tight.b);
    same("unaligned", a.unaligned.k, want.unaligned.k);
    same("unaligned", a.unaligned.number, want.unaligned.number);
    same("unaligned", a.unaligned.last, want.unaligned.last);
    const double real = a.unaligned.real;
    EXPECT_SAME("unaligned", real, want.unaligned.real);
    same("outer", a.outer.k, want.outer.k);
    for (int k = 0; k < 2; ++k) same("outer", a.outer.pair.v[k], want.outer.pair.v[k]);
  }
}

void check_variables() {
  Shared<FromVariables> got(1);
  Tight tight;
  tight.k = 200;
  tight.b = 2000;
  const Pair pair = {{static_cast<__int128>(1) << 100, -3}};
  from_variables<<<1, 1>>>(got.get(), tight, pair);
  CUDA_OK(cudaDeviceSynchronize());
  same("constant", got[0].first, 15);
  same("variable", got[0].second, 12);
  same("sum", got[0].sum, 0x123456789a - 5 + 1 + 6);
  same("parameter", got[0].tight.k, 200 ^ 0x5a);
  same("parameter", got[0].tight.b, (2000 + 200) & 2047);
  same("parameter", got[0].pair.v[0], (static_cast<__int128>(1) << 100) - 3);
  same("parameter", got[0].pair.v[1], ((static_cast<__int128>(1) << 100) - 3) * 7);
}

typedef unsigned __int128 Unsigned;
struct Results {
  __int128 quotient, remainder, tenth;
  Unsigned unsigned_quotient, unsigned_remainder;
  double to_double[2];
  float to_float[2];
  __int128 from_double, from_float;
  Unsigned unsigned_from_double, unsigned_from_float;
};
__host__ __device__ Results compute(__int128 a, __int128 b) {
  Results r;
  const Unsigned ua = a;
  const Unsigned ub = b;
  r.quotient = a / b;
  r.remainder = a % b;
  r.tenth = a / 10;
  r.unsigned_quotient = ua / ub;
  r.unsigned_remainder = ua % ub;
  r.to_double[0] = static_cast<double>(a);
  r.to_double[1] = static_cast<double>(ua);
  r.to_float[0] = static_cast<float>(a);
  r.to_float[1] = static_cast<float>(ua >> 1);  // the largest rounds to a number that is no float
  const __int128 small = a / 4;
  r.from_double = static_cast<__int128>(static_cast<double>(small) / 3);
  r.from_float = static_cast<__int128>(static_cast<float>(small) / 3);
  r.unsigned_from_double = static_cast<Unsigned>(static_cast<double>(ua / 4) / 3);
  r.unsigned_from_float = static_cast<Unsigned>(static_cast<float>(ua / 4) / 3);
  return r;
}
__global__ void compute_all(const __int128* in, Results* out, int n) {
  const int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
  if (i < n) out[i] = compute(in[2 * i], in[2 * i + 1]);
}

__int128 random_value(Random& random) {
  Unsigned v = 0;
  for (int i = 0; i < 4; ++i) v = v << 32 | random.next();
  v >>= random.next() % 128;                                                          // of all lengths
  if (random.next() % 4 == 0) v &= ~static_cast<Unsigned>(0) << random.next() % 128;  // with many zeros
  if (random.next() % 8 == 0) v += 1;
  return static_cast<__int128>(random.next() % 2 != 0 ? -v : v);
}

void check_wide_integers() {
  constexpr int kCount = 1024;
  Shared<__int128> in(2 * kCount);
  Shared<Results> out(kCount);
  Random random{7};
  for (int i = 0; i < 2 * kCount; ++i) in[i] = random_value(random);
  in[0] = static_cast<__int128>(static_cast<Unsigned>(1) << 127);
  for (int i = 0; i < kCount; ++i) {
    if (in[2 * i + 1] == 0 || in[2 * i + 1] == -1) in[2 * i + 1] = 3;
  }
  compute_all<<<kCount / 64, 64>>>(in.get(), out.get(), kCount);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) {
    const Results want = compute(in[2 * i], in[2 * i + 1]);
    const Results& got = out[i];
    same("quotient", got.quotient, want.quotient);
    same("remainder", got.remainder, want.remainder);
    same("tenth", got.tenth, want.tenth);
    same("unsigned quotient", got.unsigned_quotient, want.unsigned_quotient);
    same("unsigned remainder", got.unsigned_remainder, want.unsigned_remainder);
    for (int k = 0; k < 2; ++k) {
      EXPECT_SAME("to double", got.to_double[k], want.to_double[k]);
      EXPECT_SAME("to float", got.to_float[k], want.to_float[k]);
    }
    same("from double", got.from_double, want.from_double);
    same("from float", got.from_float, want.from_float);
    same("unsigned from double", got.unsigned_from_double, want.unsigned_from_double);
    same("unsigned from float", got.unsigned_from_float, want.unsigned_from_float);
  }
}

int main() {
  check_structures();
  check_variables();
  check_wide_integers();
  return verdict();
}
