#pragma once

// Helpers for the files in isa/instructions. They are compiled twice, once for any x86-64 and once for AVX2 and FMA, into
// two namespaces; so everything here lives in an unnamed namespace of the including file.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "castor/isa/instruction_table.h"
#include "castor/isa/record.h"
#include "castor/isa/warp_context.h"

#ifndef CASTOR_LANES
#error "CASTOR_LANES names the variant (baseline or avx2); files in isa/instructions are built by castor_isa only"
#endif

/// Opens a file of instructions: CASTOR_INSTRUCTIONS(integer) { table.add(...); }
/// The file's name must be the family's name; the build finds it by itself.
#define CASTOR_INSTRUCTIONS(family)                          \
  namespace castor::isa::CASTOR_LANES {                      \
  void family(::castor::isa::TableBuilder& table);           \
  }                                                          \
  void castor::isa::CASTOR_LANES::family([[maybe_unused]] ::castor::isa::TableBuilder& table)

namespace castor::isa {
namespace {

/// Row `which` of the sources as elements of type T, from the given half on (32 elements per half).
template <class T>
inline const T* source(const LaneArgs& args, unsigned which, unsigned half) {
  return reinterpret_cast<const T*>(args.src[which]) + std::size_t{32} * half;
}
template <class T>
inline T* destination(const LaneArgs& args, unsigned half) {
  return reinterpret_cast<T*>(args.dst) + std::size_t{32} * half;
}
inline std::uint32_t half_mask(LaneMask mask, unsigned half) { return static_cast<std::uint32_t>(mask >> (32 * half)); }

/// d[i] = f(s[i]...) for the 32 lanes of one half; full halves take the loop that the compiler can vectorise.
template <class D, class F, class... S>
inline void map_half(std::uint32_t mask, D* d, F f, const S*... s) {
  if (mask == 0xffffffffu) {
    for (unsigned i = 0; i < 32; ++i) d[i] = f(s[i]...);
  } else {
    for (unsigned i = 0; i < 32; ++i) {
      if ((mask >> i & 1) != 0) d[i] = f(s[i]...);
    }
  }
}

/// Destination elements D from source elements S...: `map<D, S0, S1>(args, f)`.
template <class D, class S0, class F>
inline void map(LaneArgs& args, F f) {
  for (unsigned h = 0; h < args.halves; ++h)
    map_half(half_mask(args.mask, h), destination<D>(args, h), f, source<S0>(args, 0, h));
}
template <class D, class S0, class S1, class F>
inline void map(LaneArgs& args, F f) {
  for (unsigned h = 0; h < args.halves; ++h)
    map_half(half_mask(args.mask, h), destination<D>(args, h), f, source<S0>(args, 0, h), source<S1>(args, 1, h));
}
template <class D, class S0, class S1, class S2, class F>
inline void map(LaneArgs& args, F f) {
  for (unsigned h = 0; h < args.halves; ++h)
    map_half(half_mask(args.mask, h), destination<D>(args, h), f, source<S0>(args, 0, h), source<S1>(args, 1, h),
             source<S2>(args, 2, h));
}

}  // namespace
}  // namespace castor::isa
