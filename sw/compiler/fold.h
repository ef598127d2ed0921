#pragma once

#include "compiler/ir.h"

namespace castor::compiler {

/// Lets a function hold fewer values: copies and constants are used where they come from, and `base + constant` becomes
/// the offset of the accesses that use it as their address, as the instructions of every GPU have one.
///
/// Compilers move `base + 4`, `base + 8` ... in front of loops, where each is a pair of registers for as long as the
/// loop runs. Only registers with one unguarded definition that is executed before each of their uses (in every block
/// that is reached) take part, so a base still has its value where the sum was used. Offsets stay within 24 bits with a
/// sign, as in the vendor's encodings.
void fold_addresses(Code& code);

}  // namespace castor::compiler
