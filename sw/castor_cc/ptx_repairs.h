#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Repairs instructions that clang 14's back end selects wrongly at every -O level (docs/decisions/compiler-faults.md).
/// Inline assembly stays unchanged.
///
/// * `bfe.u64 d, a, S, L` with S + L > 64: the back end means the low L bits of an arithmetic shift, whose bits beyond
///   the 64th are copies of the sign, but bfe reads zeros there. The repair uses shr.s64 and and.b64.
/// * A 64-bit rotation by a register: the back end uses two shifts and a sum. This is right for amounts from 0 to 64
///   only, since PTX's shifts clamp the amount. The repair takes the amount modulo 64.
/// * `mul.wide.s32 d, a, -2147483648`: stands for the 64-bit a shifted left by 31, whose factor 2^31 is no signed
/// number
///   of 32 bits (a product by -2^31 comes out as a shift and a negation). Becomes cvt.s64.s32 and shl.b64; likewise
///   mul.wide.s16 by -32768.
[[nodiscard]] std::string repair_ptx(std::string_view ptx);

}  // namespace castor::castor_cc
