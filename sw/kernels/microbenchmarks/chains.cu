// Latency of arithmetic: one warp executes a chain in which every instruction needs the result of the previous one. The
// time of a short chain is subtracted from that of a long one, so the cost of reading the clock cancels. Each chain
// runs twice, so that the instruction cache is warm in the second pass. The instructions are PTX, which no compiler
// folds.
#include "micro.h"

using namespace kernels;

constexpr int kShort = 32, kLong = 96;

// Adds 1 to both halves of `pair`. The halves are 16-bit floats with the same integer value below 2047.
unsigned count_up(unsigned pair) {
  const unsigned half = pair & 0xffff;
  const unsigned value = (half == 0 ? 0 : (1024 + (half & 1023)) >> (25 - (half >> 10))) + 1;
  const unsigned exponent = 31 - __builtin_clz(value);
  const unsigned next = (exponent + 15) << 10 | (((value << 10) >> exponent) & 1023);
  return next << 16 | next;
}

// CHAIN(name, type, register letter, first value, second operand, PTX of one step, the same step in C++ for the host).
// In the PTX, %0 is the value passed from step to step and %1 the second operand.
#define CHAIN(NAME, TYPE, LETTER, FIRST, SECOND, PTX, HOST)                                         \
  struct NAME {                                                                                     \
    using Type = TYPE;                                                                              \
    static const char* name() { return #NAME; }                                                     \
    static TYPE first() { return static_cast<TYPE>(FIRST); }                                        \
    static TYPE second() { return static_cast<TYPE>(SECOND); }                                      \
    static __device__ void step(TYPE& x, TYPE y) { asm volatile(PTX : "+" LETTER(x) : LETTER(y)); } \
    static TYPE host(TYPE x, TYPE y) { return static_cast<TYPE>(HOST); }                            \
  };

CHAIN(int_add, int, "r", 3, 5, "add.s32 %0, %0, %1;", x + y)
CHAIN(int_min, int, "r", 3, 5, "min.s32 %0, %0, %1;", x < y ? x : y)
CHAIN(int_mul, int, "r", 3, 5, "mul.lo.s32 %0, %0, %1;", static_cast<unsigned>(x) * static_cast<unsigned>(y))
CHAIN(int_mad, int, "r", 3, 5, "mad.lo.s32 %0, %0, %1, %1;",
      static_cast<unsigned>(x) * static_cast<unsigned>(y) + static_cast<unsigned>(y))
CHAIN(int_shift, unsigned, "r", 0x12345678, 1, "shl.b32 %0, %0, %1;", x << y)
CHAIN(int_logic, unsigned, "r", 0x12345678, 0x9abcdef0, "xor.b32 %0, %0, %1;", x ^ y)
CHAIN(int_sdiv, int, "r", 0x7fffffff, 1, "div.s32 %0, %0, %1;", x / y)
CHAIN(int_udiv, unsigned, "r", 0xffffffff, 1, "div.u32 %0, %0, %1;", x / y)
CHAIN(int_srem, int, "r", 0x7fffffff, 0x12345, "rem.s32 %0, %0, %1;", x % y)
CHAIN(int_urem, unsigned, "r", 0xffffffff, 0x12345, "rem.u32 %0, %0, %1;", x % y)
CHAIN(bit_field, unsigned, "r", 0x12345678, 31, "bfe.u32 %0, %0, 0, %1;", x & 0x7fffffff)
CHAIN(byte_permute, unsigned, "r", 0x12345678, 0x3021, "prmt.b32 %0, %0, %0, %1;",
      (x & 0xff000000) | (x & 0xff) << 16 | (x >> 8 & 0xffff))
CHAIN(popc, unsigned, "r", 0x12345678, 0, "popc.b32 %0, %0;", __builtin_popcount(x))
CHAIN(clz, unsigned, "r", 0x12345678, 0, "clz.b32 %0, %0;", x == 0 ? 32 : __builtin_clz(x))
CHAIN(shuffle, unsigned, "r", 7, 3, "shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;", x)
CHAIN(f32_add, float, "f", 3, 5, "add.f32 %0, %0, %1;", x + y)
CHAIN(f32_min, float, "f", 3, 5, "min.f32 %0, %0, %1;", x < y ? x : y)
CHAIN(f32_mul, float, "f", 3, 1.0625, "mul.f32 %0, %0, %1;", x* y)
CHAIN(f32_fma, float, "f", 3, 0.75, "fma.rn.f32 %0, %0, %1, %1;", std::fma(x, y, y))
CHAIN(f64_add, double, "d", 3, 5, "add.f64 %0, %0, %1;", x + y)
CHAIN(f64_mul, double, "d", 3, 1.0625, "mul.f64 %0, %0, %1;", x* y)
CHAIN(f64_fma, double, "d", 3, 0.75, "fma.rn.f64 %0, %0, %1, %1;", std::fma(x, y, y))
CHAIN(f16_add, unsigned, "r", 0, 0x3c003c00, "add.f16x2 %0, %0, %1;", count_up(x))
CHAIN(f16_fma, unsigned, "r", 0, 0x3c003c00, "fma.rn.f16x2 %0, %0, %1, %1;", count_up(x))
CHAIN(special_sin, float, "f", 1, 0, "sin.approx.f32 %0, %0;", std::sin(x))
CHAIN(special_cos, float, "f", 1, 0, "cos.approx.f32 %0, %0;", std::cos(x))
CHAIN(special_rsqrt, float, "f", 3, 0, "rsqrt.approx.f32 %0, %0;", 1 / std::sqrt(x))
CHAIN(special_rcp, float, "f", 3, 0, "rcp.approx.f32 %0, %0;", 1 / x)
CHAIN(special_sqrt, float, "f", 3, 0, "sqrt.approx.f32 %0, %0;", std::sqrt(x))
CHAIN(special_lg2, float, "f", 3, 0, "lg2.approx.f32 %0, %0;", std::log2(x))
CHAIN(special_ex2, float, "f", 3, 0, "ex2.approx.f32 %0, %0;", std::exp2(x))
// Denormal numbers are flushed to zero, so that chips need no extra instructions around the special function.
CHAIN(special_rsqrt_ftz, float, "f", 3, 0, "rsqrt.approx.ftz.f32 %0, %0;", 1 / std::sqrt(x))
CHAIN(special_lg2_ftz, float, "f", 3, 0, "lg2.approx.ftz.f32 %0, %0;", std::log2(x))
CHAIN(special_ex2_ftz, float, "f", 3, 0, "ex2.approx.ftz.f32 %0, %0;", std::exp2(x))
CHAIN(f32_div, float, "f", 3, 1.0625, "div.rn.f32 %0, %0, %1;", x / y)
CHAIN(f32_rcp, float, "f", 3, 0, "rcp.rn.f32 %0, %0;", 1 / x)
CHAIN(f32_sqrt, float, "f", 3, 0, "sqrt.rn.f32 %0, %0;", std::sqrt(x))
CHAIN(f64_div, double, "d", 3, 1.0625, "div.rn.f64 %0, %0, %1;", x / y)
CHAIN(f64_sqrt, double, "d", 3, 0, "sqrt.rn.f64 %0, %0;", std::sqrt(x))
// A step is a pair of conversions: to the other type and back.
CHAIN(convert_f32_s32, int, "r", 1000, 0, "{ .reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t; }", x)
CHAIN(convert_f32_f16, float, "f", 1000, 0, "{ .reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t; }", x)
CHAIN(convert_f64_f32, float, "f", 1000, 0, "{ .reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t; }", x)

template <class Op, int kLength>
__global__ void chain(unsigned* ticks, typename Op::Type* out, typename Op::Type x, typename Op::Type y) {
  const typename Op::Type first = x;
  unsigned elapsed = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    x = first;
    const unsigned start = clock();
#pragma unroll
    for (int i = 0; i < kLength; ++i) Op::step(x, y);
    elapsed = clock() - start;
  }
  if (threadIdx.x == 0) *ticks = elapsed;
  out[threadIdx.x] = x;
}

template <class Op, int kLength>
double run(bool& right) {
  using Type = typename Op::Type;
  DeviceArray<unsigned> ticks(1);
  DeviceArray<Type> out(32);
  chain<Op, kLength><<<1, 32>>>(ticks.get(), out.get(), Op::first(), Op::second());
  micro::finish();
  Type expected = Op::first();
  for (int i = 0; i < kLength; ++i) expected = Op::host(expected, Op::second());
  for (const Type got : out.download()) {
    const double g = static_cast<double>(got), e = static_cast<double>(expected);
    const bool same = got == expected || (std::isnan(g) && std::isnan(e)) || std::fabs(g - e) <= 1e-3 * std::fabs(e);
    if (!same) std::fprintf(stderr, "%s: %.9g, expected %.9g\n", Op::name(), g, e);
    right = right && same;
  }
  return ticks.download()[0];
}

// Measures the latency of Op. `instructions`: number of instructions per step, 2 for pairs of conversions.
template <class Op>
void measure(micro::Figures& figures, bool& right, int instructions = 1) {
  const double lower = run<Op, kShort>(right), upper = run<Op, kLong>(right);
  figures.add(Op::name(), (upper - lower) / ((kLong - kShort) * instructions));
}

template <class... Ops>
void measure_all(micro::Figures& figures, bool& right) {
  (measure<Ops>(figures, right), ...);
}

int main(int argc, char** argv) {
  Options options("chains", "latency of dependent instructions, clock ticks of an SM");
  options.parse(argc, argv);
  micro::Figures figures("chains");
  bool right = true;
  measure_all<int_add, int_min, int_mul, int_mad, int_shift, int_logic, int_sdiv, int_udiv, int_srem, int_urem,
              bit_field, byte_permute, popc, clz, shuffle>(figures, right);
  measure_all<f32_add, f32_min, f32_mul, f32_fma, f64_add, f64_mul, f64_fma, f16_add, f16_fma>(figures, right);
  measure_all<special_sin, special_cos, special_rsqrt, special_rcp, special_sqrt, special_lg2, special_ex2>(figures,
                                                                                                            right);
  measure_all<special_rsqrt_ftz, special_lg2_ftz, special_ex2_ftz>(figures, right);
  measure_all<f32_div, f32_rcp, f32_sqrt, f64_div, f64_sqrt>(figures, right);
  measure<convert_f32_s32>(figures, right, 2);
  measure<convert_f32_f16>(figures, right, 2);
  measure<convert_f64_f32>(figures, right, 2);
  figures.print();
  Verdict verdict(options);
  verdict.holds("values", right);
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
