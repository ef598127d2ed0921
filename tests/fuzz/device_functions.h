// What the programs of device_functions.py begin with: types, functions that exist on both sides, inputs, and the
// comparison of the device's values with the host's. On the device a function here is CUDA's intrinsic, on the host
// plain C++ that computes the same by other means.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef float f32;
typedef double f64;
typedef __half f16;

#define BOTH_SIDES static inline __host__ __device__

// On the device the intrinsic, on the host the model.
#ifdef __CUDA_ARCH__
#define INTRINSIC(result, name, parameters, intrinsic, ...) \
  BOTH_SIDES result name parameters { return (result)(intrinsic); }
#else
#define INTRINSIC(result, name, parameters, intrinsic, ...) BOTH_SIDES result name parameters __VA_ARGS__
#endif

// ---------------------------------------------------------------------------------------------- integers and bits

#define FUNNEL(n) (((u64)b << 32 | a) n)
INTRINSIC(u32, funnel_left, (u32 a, u32 b, u32 n), __funnelshift_l(a, b, n), { return FUNNEL(<< (n & 31)) >> 32; })
INTRINSIC(u32, funnel_right, (u32 a, u32 b, u32 n), __funnelshift_r(a, b, n), { return (u32)FUNNEL(>> (n & 31)); })
INTRINSIC(u32, funnel_left_clamped, (u32 a, u32 b, u32 n), __funnelshift_lc(a, b, n),
          { return FUNNEL(<< (n < 32 ? n : 32)) >> 32; })
INTRINSIC(u32, funnel_right_clamped, (u32 a, u32 b, u32 n), __funnelshift_rc(a, b, n),
          { return (u32)FUNNEL(>> (n < 32 ? n : 32)); })
#undef FUNNEL
INTRINSIC(u32, permuted_bytes, (u32 a, u32 b, u32 selector), __byte_perm(a, b, selector), {
  const u64 bytes = (u64)b << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 which = selector >> (4 * i) & 15;
    u32 byte = bytes >> (8 * (which & 7)) & 255;
    if (which & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
})
INTRINSIC(i32, high_product, (i32 a, i32 b), __mulhi(a, b), { return (i32)((i64)a * b >> 32); })
INTRINSIC(u32, high_product, (u32 a, u32 b), __umulhi(a, b), { return (u32)((u64)a * b >> 32); })
INTRINSIC(i64, high_product, (i64 a, i64 b), __mul64hi(a, b), { return (i64)((i128)a * b >> 64); })
INTRINSIC(u64, high_product, (u64 a, u64 b), __umul64hi(a, b), { return (u64)((u128)a * b >> 64); })
INTRINSIC(i32, product_of_24_bits, (i32 a, i32 b), __mul24(a, b),
          { return (i32)(u32)((i64)((i32)((u32)a << 8) >> 8) * ((i32)((u32)b << 8) >> 8)); })
INTRINSIC(u32, product_of_24_bits, (u32 a, u32 b), __umul24(a, b),
          { return (u32)((u64)(a & 0xffffff) * (b & 0xffffff)); })
INTRINSIC(i32, average_down, (i32 a, i32 b), __hadd(a, b), { return (i32)(((i64)a + b) >> 1); })
INTRINSIC(i32, average_up, (i32 a, i32 b), __rhadd(a, b), { return (i32)(((i64)a + b + 1) >> 1); })
INTRINSIC(u32, average_down, (u32 a, u32 b), __uhadd(a, b), { return (u32)(((u64)a + b) >> 1); })
INTRINSIC(u32, average_up, (u32 a, u32 b), __urhadd(a, b), { return (u32)(((u64)a + b + 1) >> 1); })
INTRINSIC(u32, difference_added, (i32 a, i32 b, u32 c), __sad(a, b, c),
          { return (u32)(a > b ? (i64)a - b : (i64)b - a) + c; })
INTRINSIC(u32, difference_added, (u32 a, u32 b, u32 c), __usad(a, b, c), { return (a > b ? a - b : b - a) + c; })
INTRINSIC(i32, products_of_bytes, (i32 a, i32 b, i32 c), __dp4a(a, b, c), {
  u32 sum = (u32)c;
  for (int i = 0; i < 4; ++i) sum += (u32)((i8)(a >> (8 * i)) * (i8)(b >> (8 * i)));
  return (i32)sum;
})

BOTH_SIDES u64 bits_reversed(u64 v, int width) {
  u64 result = 0;
  for (int i = 0; i < width; ++i) result |= (v >> i & 1) << (width - 1 - i);
  return result;
}
BOTH_SIDES i32 bits_counted(u64 v) {
  i32 n = 0;
  for (; v != 0; v >>= 1) n += (i32)(v & 1);
  return n;
}
BOTH_SIDES i32 bits_leading(u64 v, int width) {
  i32 n = 0;
  while (n < width && !(v >> (width - 1 - n) & 1)) ++n;
  return n;
}
BOTH_SIDES i32 bit_first(u64 v, int width) {
  for (i32 n = 0; n < width; ++n) {
    if (v >> n & 1) return n + 1;
  }
  return 0;
}
INTRINSIC(u32, reversed, (u32 v), __brev(v), { return (u32)bits_reversed(v, 32); })
INTRINSIC(u64, reversed, (u64 v), __brevll(v), { return bits_reversed(v, 64); })
INTRINSIC(i32, counted, (u32 v), __popc(v), { return bits_counted(v); })
INTRINSIC(i32, counted, (u64 v), __popcll(v), { return bits_counted(v); })
INTRINSIC(i32, leading, (u32 v), __clz((i32)v), { return bits_leading(v, 32); })
INTRINSIC(i32, leading, (u64 v), __clzll((i64)v), { return bits_leading(v, 64); })
INTRINSIC(i32, first_set, (u32 v), __ffs((i32)v), { return bit_first(v, 32); })
INTRINSIC(i32, first_set, (u64 v), __ffsll((i64)v), { return bit_first(v, 64); })
INTRINSIC(u32, bytes_swapped, (u32 v), __builtin_bswap32(v),
          { return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24; })
INTRINSIC(u64, bytes_swapped, (u64 v), __builtin_bswap64(v), {
  u64 result = 0;
  for (int i = 0; i < 8; ++i) result |= (v >> (8 * i) & 255) << (56 - 8 * i);
  return result;
})

/// What compilers make an overflow check of: the device asks the compiler, the host computes in 128 bits.
template <class T>
BOTH_SIDES bool overflows_sum(T a, T b) {
#ifdef __CUDA_ARCH__
  T result;
  return __builtin_add_overflow(a, b, &result);
#else
  const i128 exact = (i128)a + (i128)b;
  return exact != (i128)(T)exact;
#endif
}
template <class T>
BOTH_SIDES bool overflows_difference(T a, T b) {
#ifdef __CUDA_ARCH__
  T result;
  return __builtin_sub_overflow(a, b, &result);
#else
  const i128 exact = (i128)a - (i128)b;
  return exact != (i128)(T)exact;
#endif
}
template <class T>
BOTH_SIDES bool overflows_product(T a, T b) {
#ifdef __CUDA_ARCH__
  T result;
  return __builtin_mul_overflow(a, b, &result);
#else
  if ((T)-1 > 0) {
    const u128 exact = (u128)a * (u128)b;
    return exact != (u128)(T)exact;
  }
  const i128 exact = (i128)a * (i128)b;
  return exact != (i128)(T)exact;
#endif
}

// ---------------------------------------------------------------------------------------------------- real numbers

// Returns the bits of a float. The bits of a NaN differ between processors, so every NaN is mapped to one pattern.
BOTH_SIDES u32 bits_of(f32 f) {
  u32 bits = 0x7fc00000u;
  if (f == f) memcpy(&bits, &f, sizeof bits);
  return bits;
}
BOTH_SIDES u64 bits_of(f64 f) {
  u64 bits = 0x7ff8000000000000ull;
  if (f == f) memcpy(&bits, &f, sizeof bits);
  return bits;
}
BOTH_SIDES f32 f32_of(u32 bits) {
  f32 f;
  memcpy(&f, &bits, sizeof f);
  return f == f ? f : __builtin_nanf("");
}
BOTH_SIDES f64 f64_of(u64 bits) {
  f64 f;
  memcpy(&f, &bits, sizeof f);
  return f == f ? f : __builtin_nan("");
}
// -0 and +0 may be taken for each other by both.
BOTH_SIDES f32 smaller(f32 a, f32 b) { return fminf(a, b) + 0.0f; }
BOTH_SIDES f32 larger(f32 a, f32 b) { return fmaxf(a, b) + 0.0f; }
BOTH_SIDES f64 smaller(f64 a, f64 b) { return fmin(a, b) + 0.0; }
BOTH_SIDES f64 larger(f64 a, f64 b) { return fmax(a, b) + 0.0; }
BOTH_SIDES f32 with_sign(f32 a, f32 b) { return copysignf(a, b == b ? b : 1.0f); }
BOTH_SIDES f64 with_sign(f64 a, f64 b) { return copysign(a, b == b ? b : 1.0); }

/// The integer part if the type has it, else `other`. `low` is the lowest value of T, `beyond` the highest plus one.
template <class T, class F>
BOTH_SIDES T integer_part(F f, F low, F beyond, T other) {
  return f >= low && f < beyond ? (T)f : other;
}
/// The same as CUDA's intrinsics do it, which saturate. NaN is 0 from f32 to 32 bits, else the highest bit alone.
template <class T, class F>
T saturated(F f, F low, F beyond) {
  if (f != f) return sizeof(T) == 8 || sizeof(F) == 8 ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0;
  if (f >= beyond) return (T)-1 > 0 ? (T)-1 : (T)(((u64)1 << (8 * sizeof(T) - 1)) - 1);
  if (f < low) return (T)-1 > 0 ? (T)0 : (T)((u64)1 << (8 * sizeof(T) - 1));
  return (T)f;
}
#define TO_INTEGER(from, to, name, low, beyond)                                                                       \
  INTRINSIC(to, to##_near_##from, (from f), __##name##_rn(f), { return saturated<to, from>(rint(f), low, beyond); })  \
  INTRINSIC(to, to##_zero_##from, (from f), __##name##_rz(f), { return saturated<to, from>(trunc(f), low, beyond); }) \
  INTRINSIC(to, to##_up_##from, (from f), __##name##_ru(f), { return saturated<to, from>(ceil(f), low, beyond); })    \
  INTRINSIC(to, to##_down_##from, (from f), __##name##_rd(f), { return saturated<to, from>(floor(f), low, beyond); })
TO_INTEGER(f32, i32, float2int, -2147483648.0f, 2147483648.0f)
TO_INTEGER(f32, u32, float2uint, 0.0f, 4294967296.0f)
TO_INTEGER(f32, i64, float2ll, -9223372036854775808.0f, 9223372036854775808.0f)
TO_INTEGER(f32, u64, float2ull, 0.0f, 18446744073709551616.0f)
TO_INTEGER(f64, i32, double2int, -2147483648.0, 2147483648.0)
TO_INTEGER(f64, u32, double2uint, 0.0, 4294967296.0)
TO_INTEGER(f64, i64, double2ll, -9223372036854775808.0, 9223372036854775808.0)
TO_INTEGER(f64, u64, double2ull, 0.0, 18446744073709551616.0)
#undef TO_INTEGER

// Halves. A sum, product, quotient or root of halves that is rounded to a double and then to a half is rounded right.
BOTH_SIDES u16 half_bits(f16 h) {
  const u16 bits = __half_as_ushort(h);
  return (bits & 0x7fff) > 0x7c00 ? 0x7fff : bits;
}
BOTH_SIDES f16 half_of(u16 bits) { return __ushort_as_half((bits & 0x7fff) > 0x7c00 ? (u16)0x7fff : bits); }
inline f64 value_of(f16 h) {
  const int bits = __half_as_ushort(h), exponent = bits >> 10 & 31, fraction = bits & 1023;
  const f64 size = exponent == 31  ? (fraction ? (f64)NAN : (f64)INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
inline f16 nearest_half(f64 v) {
  const u16 sign = std::signbit(v) ? 0x8000 : 0;
  const f64 size = fabs(v);
  if (v != v) return __ushort_as_half(0x7fff);
  if (size >= 65520) return __ushort_as_half((u16)(sign | 0x7c00));
  int exponent = -13;
  if (size >= ldexp(1, -14)) frexp(size, &exponent);
  const int unit = exponent - 11;
  return __ushort_as_half((u16)(sign | ((unit + 24) * 1024 + (int)rint(ldexp(size, -unit)))));
}
INTRINSIC(f16, half_sum, (f16 a, f16 b), __hadd(a, b), { return nearest_half(value_of(a) + value_of(b)); })
INTRINSIC(f16, half_difference, (f16 a, f16 b), __hsub(a, b), { return nearest_half(value_of(a) - value_of(b)); })
INTRINSIC(f16, half_product, (f16 a, f16 b), __hmul(a, b), { return nearest_half(value_of(a) * value_of(b)); })
INTRINSIC(f16, half_quotient, (f16 a, f16 b), __hdiv(a, b), { return nearest_half(value_of(a) / value_of(b)); })
INTRINSIC(f16, half_fma, (f16 a, f16 b, f16 c), __hfma(a, b, c),
          { return nearest_half(value_of(a) * value_of(b) + value_of(c)); })
INTRINSIC(f16, half_root, (f16 a), hsqrt(a), { return nearest_half(sqrt(value_of(a))); })
INTRINSIC(f16, half_negated, (f16 a), __hneg(a), { return __ushort_as_half(__half_as_ushort(a) ^ 0x8000); })
INTRINSIC(f16, half_size, (f16 a), __habs(a), { return __ushort_as_half(__half_as_ushort(a) & 0x7fff); })
INTRINSIC(f16, to_half, (f32 f), __float2half_rn(f), { return nearest_half(f); })
INTRINSIC(f16, to_half, (f64 f), __double2half(f), { return nearest_half(f); })
INTRINSIC(f16, to_half, (i32 v), __int2half_rn(v), { return nearest_half(v); })
INTRINSIC(f32, from_half, (f16 h), __half2float(h), { return (f32)value_of(h); })
INTRINSIC(bool, half_less, (f16 a, f16 b), __hlt(a, b), { return value_of(a) < value_of(b); })
INTRINSIC(bool, half_equal, (f16 a, f16 b), __heq(a, b), { return value_of(a) == value_of(b); })
INTRINSIC(bool, half_not_less, (f16 a, f16 b), __hgeu(a, b), { return !(value_of(a) < value_of(b)); })

// ------------------------------------------------------------------------------------------------------- memory

template <class T>
BOTH_SIDES T loaded(const u8* at) {
  T value;
  memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
BOTH_SIDES void store(u8* at, T value) {
  memcpy(at, &value, sizeof value);
}
/// Likewise where the address is a multiple of the size.
template <class T>
BOTH_SIDES T loaded_whole(const u8* at) {
  return loaded<T>((const u8*)__builtin_assume_aligned(at, sizeof(T)));
}
template <class T>
BOTH_SIDES void store_whole(u8* at, T value) {
  store<T>((u8*)__builtin_assume_aligned(at, sizeof(T)), value);
}

// ----------------------------------------------------------------------------------------------- inputs, comparison

#ifndef __CUDA_ARCH__

enum class Type : u8 { b, i8, u8, i16, u16, i32, u32, i64, u64, i128, u128, f16, f32, f64 };
struct TypeFacts {
  int size;
  int fraction;  ///< bits of a real number's fraction, 0 for integers
};
inline TypeFacts facts(Type type) {
  static const TypeFacts all[] = {{1, 0}, {1, 0}, {1, 0},  {2, 0},  {2, 0},  {4, 0},  {4, 0},
                                  {8, 0}, {8, 0}, {16, 0}, {16, 0}, {2, 10}, {4, 23}, {8, 52}};
  return all[(int)type];
}

/// A scalar inside of a structure.
struct Field {
  const char* name;
  Type type;
  size_t offset;
};

struct Random {
  u64 state;
  u64 next() {
    u64 v = state += 0x9e3779b97f4a7c15ull;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
    v = (v ^ v >> 27) * 0x94d049bb133111ebull;
    return v ^ v >> 31;
  }
  bool one_of(unsigned n) { return next() % n == 0; }
};

/// Draws an integer of `bits` bits: a limit of its range, a power of two or a neighbour of one, or random bits.
inline u128 drawn_integer(Random& random, int bits) {
  const u128 one = 1;
  const unsigned at = (unsigned)random.next() % bits;
  switch (random.next() % 16) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return ~(u128)0;
    case 3:
      return one << (bits - 1);
    case 4:
      return (one << (bits - 1)) - 1;
    case 5:
      return one << at;
    case 6:
      return (one << at) - 1;
    case 7:
      return (one << at) + 1;
    case 8:
      return ~(one << at);
    case 9:
      return (u128)0 - (one << at);
    case 10:
      return random.next() % 100;
    case 11:
      return (u128)0 - random.next() % 100;
    case 12:
      return (u128)random.next() << at;
    default:
      return (u128)random.next() << 64 | random.next();
  }
}

/// Draws the bits of a real number: NaN, infinity, zero, subnormal, a limit of the format, an integer or half of one,
/// or random bits.
inline u64 drawn_real(Random& random, int size, int fraction) {
  const int bits = 8 * size, exponents = bits - 1 - fraction;
  const u64 sign = random.next() << (bits - 1), exponent_mask = (1ull << exponents) - 1, bias = exponent_mask >> 1;
  const u64 fraction_mask = (1ull << fraction) - 1;
  const u64 few = random.one_of(2) ? random.next() & random.next() & random.next() : random.next();
  const auto made = [&](u64 exponent, u64 f) { return sign | exponent << fraction | (f & fraction_mask); };
  switch (random.next() % 16) {
    case 0:
      return made(0, 0);
    case 1:
      return made(exponent_mask, 0);
    case 2:
      return exponent_mask << fraction | 1ull << (fraction - 1);
    case 3:
      return made(0, random.next());
    case 4:
      return made(0, random.one_of(2) ? 1 : fraction_mask);
    case 5:
      return made(1, random.one_of(2) ? 0 : random.next());
    case 6:
      return made(exponent_mask - 1, random.one_of(2) ? fraction_mask : random.next());
    case 7:
      return made(bias, 0);
    case 8:
      return made(bias + random.next() % 8, random.next() << (fraction - random.next() % 8));
    case 9: {  // near the end of an integer's range
      static const int ends[] = {7, 8, 15, 16, 31, 32, 63, 64};
      const u64 exponent = bias + (u64)ends[random.next() % 8];
      return exponent >= exponent_mask ? made(bias, 1) : made(exponent, 0) - (random.one_of(2) ? 1 : 0);
    }
    case 10:
      return made(bias + random.next() % (fraction + 2), few);
    case 11:
      return made(bias - 1 - random.next() % (bias / 2), few);
    case 12:
      return made(bias + random.next() % (bias / 2), few);
    default:
      return made(random.next() % exponent_mask, few);
  }
}

inline void fill(u8* object, const Field* fields, int count, Random& random) {
  for (int i = 0; i < count; ++i) {
    const TypeFacts type = facts(fields[i].type);
    u8* at = object + fields[i].offset;
    if (fields[i].type == Type::b) {
      *at = random.next() & 1;
    } else if (i > 0 && facts(fields[i - 1].type).size == type.size && fields[i - 1].type != Type::b &&
               type.fraction == 0 && facts(fields[i - 1].type).fraction == 0 && random.one_of(12)) {
      memcpy(at, object + fields[i - 1].offset, type.size);
    } else if (type.fraction != 0) {
      const u64 bits = drawn_real(random, type.size, type.fraction);
      memcpy(at, &bits, type.size);
    } else {
      const u128 bits = drawn_integer(random, 8 * type.size);
      memcpy(at, &bits, type.size);
    }
  }
}

inline u128 bits_at(const u8* object, const Field& field) {
  u128 bits = 0;
  memcpy(&bits, object + field.offset, facts(field.type).size);
  return bits;
}

inline bool is_nan(u128 bits, TypeFacts type) {
  if (type.fraction == 0) return false;
  const u64 infinity = ((1ull << (8 * type.size - 1 - type.fraction)) - 1) << type.fraction;
  return ((u64)bits & ~(1ull << (8 * type.size - 1))) > infinity;
}

inline bool same(const u8* a, const u8* b, const Field& field) {
  const u128 left = bits_at(a, field), right = bits_at(b, field);
  return left == right || (is_nan(left, facts(field.type)) && is_nan(right, facts(field.type)));
}

inline void print_value(const u8* object, const Field& field) {
  const u128 bits = bits_at(object, field);
  const int digits = 2 * facts(field.type).size;
  if (digits > 16) {
    printf("0x%016llx%016llx", (u64)(bits >> 64), (u64)bits);
  } else {
    printf("0x%0*llx", digits, (u64)bits);
  }
  f32 single;
  f64 real;
  memcpy(&single, &bits, sizeof single);
  memcpy(&real, &bits, sizeof real);
  if (field.type == Type::f16) real = value_of(__ushort_as_half((u16)bits));
  if (field.type == Type::f32) real = single;
  if (facts(field.type).fraction != 0) printf(" (%.17g)", real);
}

/// A function under test, by the sides that compute it.
struct Case {
  const char* name;
  u64 seed;
  unsigned threads, blocks;
  size_t input_size, output_size;
  const Field* inputs;
  int input_count;
  const Field* outputs;
  int output_count;
  void (*on_device)(const void* in, void* out, unsigned blocks, unsigned threads);
  void (*on_host)(const void* in, void* out, unsigned blocks, unsigned threads);
};

inline void must(cudaError_t error, const char* name, const char* what) {
  if (error == cudaSuccess) return;
  printf("failed %s: %s: %s\n", name, what, cudaGetErrorString(error));
  exit(3);
}

/// Says "differs NAME ..." with the first input whose values differ, and the number of such inputs. Returns it.
inline int check(const Case& one, unsigned share) {
  const unsigned blocks = (one.blocks + share - 1) / share, count = blocks * one.threads;
  u8* in = (u8*)calloc(count, one.input_size);
  u8* device = (u8*)calloc(count, one.output_size);
  u8* host = (u8*)calloc(count, one.output_size);
  Random random{one.seed};
  for (unsigned i = 0; i < count; ++i) fill(in + i * one.input_size, one.inputs, one.input_count, random);
  void *device_in = nullptr, *device_out = nullptr;
  must(cudaMalloc(&device_in, count * one.input_size), one.name, "memory");
  must(cudaMalloc(&device_out, count * one.output_size), one.name, "memory");
  must(cudaMemcpy(device_in, in, count * one.input_size, cudaMemcpyHostToDevice), one.name, "copy");
  must(cudaMemset(device_out, 0, count * one.output_size), one.name, "clear");
  one.on_device(device_in, device_out, blocks, one.threads);
  must(cudaGetLastError(), one.name, "launch");
  must(cudaMemcpy(device, device_out, count * one.output_size, cudaMemcpyDeviceToHost), one.name, "run");
  one.on_host(in, host, blocks, one.threads);
  int wrong = 0;
  for (unsigned i = 0; i < count; ++i) {
    const u8 *got = device + i * one.output_size, *want = host + i * one.output_size;
    bool differs = false;
    for (int k = 0; k < one.output_count; ++k) differs = differs || !same(got, want, one.outputs[k]);
    if (!differs || wrong++ != 0) continue;
    printf("differs %s block %u thread %u\n", one.name, i / one.threads, i % one.threads);
    for (int k = 0; k < one.input_count; ++k) {
      printf("  in.%s = ", one.inputs[k].name);
      print_value(in + i * one.input_size, one.inputs[k]);
      printf("\n");
    }
    for (int k = 0; k < one.output_count; ++k) {
      if (same(got, want, one.outputs[k])) continue;
      printf("  out.%s: host ", one.outputs[k].name);
      print_value(want, one.outputs[k]);
      printf(", device ");
      print_value(got, one.outputs[k]);
      printf("\n");
    }
  }
  if (wrong != 0) printf("  %d of %u threads differ\n", wrong, count);
  cudaFree(device_in);
  cudaFree(device_out);
  free(in);
  free(device);
  free(host);
  return wrong;
}

/// Checks all of them. The one argument that there may be is a divisor of the numbers of blocks.
inline int check_all(const Case* cases, int count, int argc, char** argv) {
  const unsigned share = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += check(cases[i], share == 0 ? 1 : share) != 0;
  printf("%d of %d functions differ\n", wrong, count);
  return wrong == 0 ? 0 : 1;
}

#endif
