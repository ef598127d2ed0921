#pragma once

#include <cstdint>
#include <string_view>

namespace castor::isa {

/// Class of an instruction's cost. The machine's table, indexed by the class, gives the pool of units, latency and
/// initiation interval (docs/machines.md, "Units, register file"). The classes up to `kPredicate` are the rows of that
/// table.
enum class TimingClass : std::uint8_t {
  kInt,        // integer add, logic, compare, select, move, integer to integer
  kIntMinMax,  // integer min, max
  kIntShift,   // shift, funnel shift
  kIntMul,     // integer multiply
  kIntMad,     // integer multiply-add, dot products
  kIntDiv,     // integer divide, remainder
  kPopc,       // population count, bits reversed
  kClz,        // leading zeros, most significant bit
  kConvert,    // integer to 32-bit or half float and back, float to float, rounding to an integral value
  kShuffle,    // shuffle, redux
  kVote,       // vote, match, elect
  kF32Add,     // 32-bit (and half precision) add, subtract, compare
  kF32MinMax,  // 32-bit min, max
  kF32Mul,     // 32-bit multiply
  kF32Fma,     // 32-bit fused multiply-add
  kF32Div,     // 32-bit divide with IEEE rounding
  kF32Root,    // 32-bit reciprocal, square root with IEEE rounding
  kF64,        // 64-bit add, multiply, fused multiply-add, compare, convert
  kF64MinMax,  // 64-bit min, max
  kF64Div,     // 64-bit divide with IEEE rounding
  kF64Root,    // 64-bit reciprocal, square root with IEEE rounding
  kSpecial,    // approximate functions that the special function unit computes directly
  kSinCos,     // approximate sine, cosine: after a range reduction
  kScaled,     // approximate functions of denormal operands, and approximate divide: scaling before and after
  kPredicate,  // predicate logic
  kLoad,       // any load
  kStore,      // any store, prefetch, cache control
  kAtomic,     // atomics and reductions
  kBranch,     // branch, call, return
  kBarrier,    // thread-block and warp barriers
  kFence,      // memory fences
  kExit,       // exit, trap
  kSystem,     // calls into the runtime (device printf, allocation), sleep, launch
  kCount,
};

/// Returns the lower-case key of the class, as in machine files: "int", "int_min_max", "f32_fma", ...
[[nodiscard]] std::string_view key(TimingClass timing);

}  // namespace castor::isa
