#pragma once

#include "compiler/ir.h"

namespace castor::compiler {

/// Reduces the number of values that a function holds at once. A use of a copied register or constant reads the
/// original instead. A sum `base + constant` becomes the address offset of the accesses that use it, which GPU
/// instruction sets provide.
///
/// Compilers move `base + 4`, `base + 8` ... in front of loops, where each sum occupies a pair of registers for the
/// whole loop. Only registers with one unguarded definition that dominates all their uses (in reachable blocks) take
/// part. The base register therefore still holds the same value at every use of the sum. Offsets stay within 24 bits
/// with sign, as in the vendor's encodings.
void fold_addresses(Code& code);

}  // namespace castor::compiler
