#pragma once

#include "compiler/ir.h"

namespace castor::compiler {

/// Reduces the number of values that a function holds at once. Uses of copied registers and constants read the origin
/// directly. A sum `base + constant` becomes the address offset of the accesses that use it, which GPU instruction sets
/// provide.
///
/// Compilers move `base + 4`, `base + 8` ... in front of loops, where each sum occupies a pair of registers for the
/// whole loop. Only registers with one unguarded definition that dominates all their uses (in reachable blocks) take
/// part. The base therefore still has its value where the sum was used. Offsets stay within 24 bits with sign, as in
/// the vendor's encodings.
void fold_addresses(Code& code);

}  // namespace castor::compiler
