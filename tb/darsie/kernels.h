#pragma once

#include "castor/base/rng.h"
#include "tb/darsie/marks.h"

namespace castor::darsie::tb {

/// What random kernels are made of. Rates are in 1/256 per statement.
struct Style {
  unsigned instructions = 80;  ///< at most, with prologue and epilogue
  unsigned sources = 4;        ///< at most, of an instruction: 1..8
  unsigned registers = 8;      ///< of which a half holds values that are mostly redundant, and a half any
  unsigned vector = 70;        ///< an instruction whose result differs from warp to warp
  unsigned leak = 10;          ///< ... into a register of the redundant half
  unsigned guarded = 12;       ///< an instruction under a guard
  unsigned guard_leak = 64;    ///< ... into a register of the redundant half
  unsigned pair = 20;          ///< two results
  unsigned load = 30;          ///< a load, mostly at a redundant address
  unsigned store = 16;         ///< a store into cells that nobody loads
  unsigned add = 3;            ///< a global atomic
  unsigned fence = 2;
  unsigned litmus = 0;   ///< stores and loads of cells that everybody writes without order
  unsigned branch = 20;  ///< if, if/else
  unsigned loop = 14;
  unsigned divergent = 100;  ///< conditions that differ from warp to warp or lane to lane; else uniform
  unsigned halves = 0;       ///< ... conditions that every second warp meets: sides of one size
  unsigned jump_out = 60;    ///< a break or continue in a body
  unsigned barrier = 8;
  unsigned publish = 6;   ///< values go through shared memory, between barriers
  unsigned named = 2;     ///< a barrier of some warps
  unsigned exit = 3;      ///< some warps end early
  unsigned straight = 0;  ///< a kernel without branches: one register written again and again
  MarkRules marks;
};

/// A kernel that ends, has no race except at litmus cells, and stores all its registers in the end; marked.
[[nodiscard]] Kernel make_kernel(const Style& style, base::Xoshiro256& random);

}  // namespace castor::darsie::tb
