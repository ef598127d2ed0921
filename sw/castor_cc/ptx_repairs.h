#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// PTX as clang 14's back end writes it, with the instructions put right that it chooses wrongly at every -O
/// (docs/decisions/compiler-faults.md). Text of inline assembly stays as it is.
///
/// * `bfe.u64 d, a, S, L` with S + L > 64: stands for L low bits of an arithmetic shift, whose bits beyond the 64th are
///   copies of the sign; bfe reads zeros there. Becomes shr.s64 and and.b64.
/// * A rotation of 64 bits by a register: made of two shifts and a sum, right for 0 to 64 only, as PTX's shifts clamp
///   the amount. It gets the amount modulo 64.
[[nodiscard]] std::string repair_ptx(std::string_view ptx);

}  // namespace castor::castor_cc
