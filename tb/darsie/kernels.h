#pragma once

#include "castor/base/rng.h"
#include "tb/darsie/marks.h"

namespace castor::darsie::tb {

/// Composition of random kernels. Rates are in 1/256 per statement.
struct Style {
  unsigned instructions = 80;  ///< maximum instructions, including prologue and epilogue
  unsigned sources = 4;        ///< maximum sources of an instruction: 1..8
  unsigned registers = 8;      ///< general registers: one half holds mostly redundant values, the other half any values
  unsigned vector = 70;        ///< an instruction whose result differs between warps
  /// probability that a result that is not redundant goes to a register of the redundant half
  unsigned leak = 10;
  unsigned guarded = 12;     ///< a guarded instruction
  unsigned guard_leak = 64;  ///< probability that a guarded result goes to a register of the redundant half
  unsigned pair = 20;        ///< an instruction with two results
  unsigned load = 30;        ///< a load, mostly from a redundant address
  unsigned store = 16;       ///< a store to cells that are never loaded
  unsigned add = 3;          ///< a global atomic operation
  unsigned fence = 2;
  unsigned litmus = 0;   ///< stores and loads of cells that all warps write without synchronisation
  unsigned branch = 20;  ///< an if or if/else statement
  unsigned loop = 14;
  /// probability of conditions that differ between warps or lanes; all other conditions are uniform
  unsigned divergent = 100;
  unsigned halves = 0;     ///< conditions that hold for every second warp, so that both sides have equal size
  unsigned jump_out = 60;  ///< a break or continue in a loop body
  unsigned barrier = 8;
  unsigned publish = 6;   ///< values are exchanged through shared memory, between barriers
  unsigned named = 2;     ///< a barrier of some warps
  unsigned exit = 3;      ///< some warps end early
  unsigned straight = 0;  ///< a kernel without branches that writes one register again and again
  MarkRules marks;
};

/// Returns a marked kernel that terminates, has no race except at litmus cells, and finally stores all its registers.
[[nodiscard]] Kernel make_kernel(const Style& style, base::Xoshiro256& random);

}  // namespace castor::darsie::tb
