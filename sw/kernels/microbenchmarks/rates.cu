// Throughput of arithmetic: one thread block fills an SM, and every thread executes four independent chains. The time
// of short chains is subtracted from that of long ones. The instructions are PTX, which no compiler folds.
#include "micro.h"

using namespace kernels;

constexpr int kShort = 12, kLong = 36, kChains = 4;

#define RATE(NAME, TYPE, LETTER, FIRST, SECOND, PTX)                                                \
  struct NAME {                                                                                     \
    using Type = TYPE;                                                                              \
    static const char* name() { return #NAME; }                                                     \
    static TYPE first() { return static_cast<TYPE>(FIRST); }                                        \
    static TYPE second() { return static_cast<TYPE>(SECOND); }                                      \
    static __device__ void step(TYPE& x, TYPE y) { asm volatile(PTX : "+" LETTER(x) : LETTER(y)); } \
  };

RATE(int_add, int, "r", 3, 5, "add.s32 %0, %0, %1;")
RATE(int_min, int, "r", 3, 5, "min.s32 %0, %0, %1;")
RATE(int_mul, int, "r", 3, 5, "mul.lo.s32 %0, %0, %1;")
RATE(int_mad, int, "r", 3, 5, "mad.lo.s32 %0, %0, %1, %1;")
RATE(int_shift, unsigned, "r", 1, 1, "shl.b32 %0, %0, %1;")
RATE(int_logic, unsigned, "r", 1, 3, "xor.b32 %0, %0, %1;")
RATE(popc, unsigned, "r", 1, 0, "popc.b32 %0, %0;")
RATE(shuffle, unsigned, "r", 7, 3, "shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;")
RATE(convert, int, "r", 1, 0, "cvt.rn.f32.s32 %0, %0;")
RATE(f32_add, float, "f", 3, 5, "add.f32 %0, %0, %1;")
RATE(f32_mul, float, "f", 3, 1, "mul.f32 %0, %0, %1;")
RATE(f32_fma, float, "f", 3, 1, "fma.rn.f32 %0, %0, %1, %1;")
RATE(f16x2_fma, unsigned, "r", 0, 0x3c003c00, "fma.rn.f16x2 %0, %0, %1, %1;")
RATE(f64_add, double, "d", 3, 5, "add.f64 %0, %0, %1;")
RATE(f64_fma, double, "d", 3, 1, "fma.rn.f64 %0, %0, %1, %1;")
RATE(special, float, "f", 3, 0, "rsqrt.approx.f32 %0, %0;")

struct Interval {
  unsigned start, stop;
};

template <class Op, int kLength>
__global__ void stream(Interval* intervals, typename Op::Type* out, typename Op::Type first, typename Op::Type second) {
  typename Op::Type x[kChains];
  Interval interval{};
#pragma unroll
  for (int c = 0; c < kChains; ++c) x[c] = first;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // in the second pass the instruction cache is warm
    __syncthreads();
    interval.start = clock();
#pragma unroll
    for (int i = 0; i < kLength; ++i) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) Op::step(x[c], second);
    }
    interval.stop = clock();
  }
  typename Op::Type sum = x[0];
#pragma unroll
  for (int c = 1; c < kChains; ++c) sum = sum == x[c] ? sum : first - first;
  out[threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) intervals[threadIdx.x / 32] = interval;
}

/// Returns the ticks from the first start to the last end over all warps of one block.
template <class Op, int kLength>
double run(int threads, bool& right) {
  DeviceArray<Interval> intervals(threads / 32);
  DeviceArray<typename Op::Type> out(threads);
  stream<Op, kLength><<<1, threads>>>(intervals.get(), out.get(), Op::first(), Op::second());
  micro::finish();
  // All chains of all threads must compute the same value.
  const auto values = out.download();
  for (const auto value : values) right = right && std::memcmp(&value, &values[0], sizeof value) == 0;
  const auto all = intervals.download();
  unsigned longest = 0, latest = all[0].start;
  for (const Interval& one : all) latest = std::min(latest, one.start);
  for (const Interval& one : all) longest = std::max(longest, one.stop - latest);
  return longest;
}

/// Measures the throughput of Op in lane operations per tick.
template <class Op>
void measure(micro::Figures& figures, int threads, bool& right) {
  const double ticks = run<Op, kLong>(threads, right) - run<Op, kShort>(threads, right);
  figures.add(Op::name(), static_cast<double>(threads) * kChains * (kLong - kShort) / ticks);
}

template <class... Ops>
void measure_all(micro::Figures& figures, int threads, bool& right) {
  (measure<Ops>(figures, threads, right), ...);
}

int main(int argc, char** argv) {
  long threads = 1024;
  Options options("rates", "throughput of independent instructions, lanes per clock tick of an SM");
  options.add("threads", &threads, 32, 1024, "of the block, a multiple of 32");
  options.parse(argc, argv);
  if (threads % 32 != 0) options.fail("option 'threads' wants a multiple of 32");
  micro::Figures figures("rates");
  bool right = true;
  measure_all<int_add, int_min, int_mul, int_mad, int_shift, int_logic, popc, shuffle, convert, f32_add, f32_mul,
              f32_fma, f16x2_fma, f64_add, f64_fma, special>(figures, threads, right);
  figures.print();
  Verdict verdict(options);
  verdict.holds("values", right);
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
