#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Repairs instructions that clang 14's back end selects wrongly at every -O level (docs/decisions/compiler-faults.md).
/// Inline assembly stays unchanged.
///
/// * `bfe.u64 d, a, S, L` with S + L > 64: the back end intends the low L bits of an arithmetic shift. Bits of the
/// shift
///   beyond the 64th are copies of the sign, but bfe reads zeros there. The repair uses shr.s64 and and.b64.
/// * A 64-bit rotation by a register: the back end uses two shifts and a sum. This is right for amounts from 0 to 64
///   only, since PTX's shifts clamp the amount. The repair takes the amount modulo 64.
/// * `mul.wide.s32 d, a, -2147483648`: the back end intends the 64-bit a shifted left by 31, but the factor 2^31 is no
///   signed number of 32 bits. (For a product by -2^31 it generates a shift and a negation.) The repair uses
///   cvt.s64.s32 and shl.b64; likewise for mul.wide.s16 by -32768.
[[nodiscard]] std::string repair_ptx(std::string_view ptx);

}  // namespace castor::castor_cc
