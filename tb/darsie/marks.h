#pragma once

#include "tb/darsie/program.h"

namespace castor::darsie::tb {

/// Rules by which the bench marks its kernels, in place of the compiler for DARSIE.
struct MarkRules {
  unsigned limit = 32;  ///< maximum number of renamed registers
  bool joins = true;    ///< registers defined on the sides of a branch get at most the class of the branch's predicate
  bool keep_guarded_out = true;  ///< registers written by guarded instructions are not renamed
};

/// Computes post-dominators, value classes, marks and the rename set of a kernel, and renumbers the renamed registers
/// to 0 .. renamed - 1. The classes are those of Yeh 2020, section 7.2: V < CR < DR. Constants are DR and tid.x is CR;
/// all other values specific to a warp are V.
void mark(Kernel& kernel, const MarkRules& rules);

}  // namespace castor::darsie::tb
