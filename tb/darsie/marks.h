#pragma once

#include "tb/darsie/program.h"

namespace castor::darsie::tb {

/// What the compiler does for DARSIE, on kernels of the bench.
struct MarkRules {
  unsigned limit = 32;           ///< registers of the rename set
  bool joins = true;             ///< what sides of a branch define is no better behind it than its predicate
  bool keep_guarded_out = true;  ///< no register that a guarded instruction writes is renamed
};

/// Post-dominators, classes of values, marks, and the rename set, whose registers become 0 .. renamed - 1. Classes are
/// those of Yeh 2020, section 7.2: V < CR < DR; constants are DR, tid.x is CR, everything else that a warp is asked is
/// V.
void mark(Kernel& kernel, const MarkRules& rules);

}  // namespace castor::darsie::tb
