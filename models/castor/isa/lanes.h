#pragma once

// Helpers for files that add instructions. Files in isa/instructions are compiled twice, once for any x86-64 and once
// for AVX2 and FMA, into two namespaces. Therefore everything here is in an unnamed namespace.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "castor/isa/instruction_table.h"
#include "castor/isa/record.h"
#include "castor/isa/warp_context.h"

/// Begins the function of a file of instructions: CASTOR_INSTRUCTIONS(integer) { table.add({...}); }. In
/// isa/instructions the file must have the family's name; the build then finds it. Outside the library, where
/// CASTOR_LANES is not defined, the macro adds the rows by InstructionTable::extend before the first use of the table.
#ifdef CASTOR_LANES
#define CASTOR_INSTRUCTIONS(family)                \
  namespace castor::isa::CASTOR_LANES {            \
  void family(::castor::isa::TableBuilder& table); \
  }                                                \
  void castor::isa::CASTOR_LANES::family([[maybe_unused]] ::castor::isa::TableBuilder& table)
#else
#define CASTOR_INSTRUCTIONS(family)                                    \
  static void castor_add_##family(::castor::isa::TableBuilder& table); \
  [[maybe_unused]] static const bool kCastorHas_##family =             \
      ::castor::isa::InstructionTable::extend(&castor_add_##family);   \
  static void castor_add_##family([[maybe_unused]] ::castor::isa::TableBuilder& table)
#endif

/// Written before a loop over lanes: rows are identical or do not overlap, so iterations are independent.
#if defined(__clang__)
#define CASTOR_LANE_LOOP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define CASTOR_LANE_LOOP _Pragma("GCC ivdep")
#endif

#if defined(__clang__)
// Silences the warning about loops that cannot be vectorised because they call a function per lane.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace castor::isa {
namespace {

/// Returns row `which` of the sources as elements of type T, starting at the given half (32 elements per half).
template <class T>
inline const T* source(const LaneArgs& args, unsigned which, unsigned half) {
  return reinterpret_cast<const T*>(args.src[which]) + std::size_t{32} * half;
}
template <class T>
inline T* destination(const LaneArgs& args, unsigned half) {
  return reinterpret_cast<T*>(args.dst) + std::size_t{32} * half;
}
inline std::uint32_t half_mask(LaneMask mask, unsigned half) {
  return static_cast<std::uint32_t>(half == 0 ? mask : mask >> 32);
}

/// Bit of each lane, as wide as the elements it selects, so that a comparison with it vectorises.
template <class T>
struct LaneBits {
  T bit[32];
  constexpr LaneBits() : bit() {
    for (unsigned i = 0; i < 32; ++i) bit[i] = T{1} << i;
  }
};
inline constexpr LaneBits<std::uint32_t> kLaneBits32{};
inline constexpr LaneBits<std::uint64_t> kLaneBits64{};

/// Whether lane i of a half is in `mask`, in a form that vectorises with elements of `Size` bytes.
template <std::size_t Size>
inline bool in_mask(std::uint32_t mask, unsigned i) {
  if constexpr (Size == 8)
    return (kLaneBits64.bit[i] & mask) != 0;
  else
    return (kLaneBits32.bit[i] & mask) != 0;
}

/// Copies d[i] = s[i] for the lanes of `mask`.
// NOLINTBEGIN(clang-analyzer-core.uninitialized.Assign): all 32 elements are set, by loops the analyser does not unroll
template <class D>
inline void blend_half(std::uint32_t mask, D* d, const D* s) {
  if (mask == 0xffffffffu) {
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) d[i] = s[i];
  } else if constexpr (sizeof(D) >= 4) {
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) d[i] = in_mask<sizeof(D)>(mask, i) ? s[i] : d[i];
  } else {
    for (unsigned i = 0; i < 32; ++i) {
      if ((mask >> i & 1) != 0) d[i] = s[i];
    }
  }
}
// NOLINTEND(clang-analyzer-core.uninitialized.Assign)

/// Computes d[i] = f(s[i]...) for the lanes of `mask` in one half. All rows have elements of one width; each source row
/// is the destination row or does not overlap it. `f` must be defined for all bits, because it is also evaluated for
/// lanes outside the mask.
template <class D, class F, class... S>
inline void map_half(std::uint32_t mask, D* d, F f, const S*... s) {
  if (mask == 0xffffffffu) {
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) d[i] = f(s[i]...);
  } else {
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) {
      const D value = f(s[i]...);
      d[i] = in_mask<sizeof(D)>(mask, i) ? value : d[i];
    }
  }
}

/// As map_half, for all halves and for rows of different widths. The destination may be one register of a source pair
/// or the reverse, so all sources are read before anything is written.
template <class D, class F, class... S>
inline void map_rows(LaneArgs& args, F f, const S*... rows) {
  if constexpr (((sizeof(S) == sizeof(D)) && ...)) {
    for (unsigned h = 0; h < args.halves; ++h)
      map_half(half_mask(args.mask, h), destination<D>(args, h), f, (rows + std::size_t{32} * h)...);
  } else {
    alignas(64) D out[kMaxLanes];
    const unsigned lanes = 32 * args.halves;
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < lanes; ++i) out[i] = f(rows[i]...);
    for (unsigned h = 0; h < args.halves; ++h)
      blend_half(half_mask(args.mask, h), destination<D>(args, h), out + std::size_t{32} * h);
  }
}

/// Computes destination elements D from source elements S...: `map<D, S0, S1>(args, f)`. `f` must be defined for all
/// bits, since inactive lanes hold arbitrary values.
template <class D, class S0, class F>
inline void map(LaneArgs& args, F f) {
  map_rows<D>(args, f, source<S0>(args, 0, 0));
}
template <class D, class S0, class S1, class F>
inline void map(LaneArgs& args, F f) {
  map_rows<D>(args, f, source<S0>(args, 0, 0), source<S1>(args, 1, 0));
}
template <class D, class S0, class S1, class S2, class F>
inline void map(LaneArgs& args, F f) {
  map_rows<D>(args, f, source<S0>(args, 0, 0), source<S1>(args, 1, 0), source<S2>(args, 2, 0));
}
template <class D, class S0, class S1, class S2, class S3, class F>
inline void map(LaneArgs& args, F f) {
  map_rows<D>(args, f, source<S0>(args, 0, 0), source<S1>(args, 1, 0), source<S2>(args, 2, 0), source<S3>(args, 3, 0));
}

/// As `map`, with the lane's bit of a predicate mask as first argument of f: `map_with<D, S0, S1>(args, predicate,
/// [](bool p, ...) {...})`.
template <class D, class S0, class S1, class F>
inline void map_with(LaneArgs& args, LaneMask predicate, F f) {
  alignas(64) D out[kMaxLanes];
  const S0* a = source<S0>(args, 0, 0);
  const S1* b = source<S1>(args, 1, 0);
  for (unsigned h = 0; h < args.halves; ++h, a += 32, b += 32) {
    const std::uint32_t p = half_mask(predicate, h);
    D* const o = out + std::size_t{32} * h;
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) o[i] = f(in_mask<sizeof(D)>(p, i), a[i], b[i]);
  }
  for (unsigned h = 0; h < args.halves; ++h)
    blend_half(half_mask(args.mask, h), destination<D>(args, h), out + std::size_t{32} * h);
}

/// Returns the mask of the lanes for which f(s0[, s1]) is true. Bits of inactive lanes are undefined; write_predicate
/// ignores them.
template <class S0, class F>
inline LaneMask test(const LaneArgs& args, F f) {
  LaneMask result = 0;
  for (unsigned h = 0; h < args.halves; ++h) {
    const S0* const a = source<S0>(args, 0, h);
    std::uint32_t bits = 0;
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) bits |= f(a[i]) ? kLaneBits32.bit[i] : 0u;
    result |= LaneMask{bits} << (32 * h);
  }
  return result;
}
template <class S0, class S1, class F>
inline LaneMask test(const LaneArgs& args, F f) {
  LaneMask result = 0;
  for (unsigned h = 0; h < args.halves; ++h) {
    const S0* const a = source<S0>(args, 0, h);
    const S1* const b = source<S1>(args, 1, h);
    std::uint32_t bits = 0;
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) bits |= f(a[i], b[i]) ? kLaneBits32.bit[i] : 0u;
    result |= LaneMask{bits} << (32 * h);
  }
  return result;
}

}  // namespace
}  // namespace castor::isa

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
