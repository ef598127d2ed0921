#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// clang 14's back end replaces selections such as `x < 0 ? x : 0` by a minimum or maximum
/// (docs/decisions/compiler-faults.md). The results differ if x is a zero of the other sign: the comparison treats both
/// zeros as equal and selects the constant 0, but PTX's min.f64 returns -0.

/// Returns true if PTX has a minimum or maximum with a zero in it, which may come from such a selection. Inline
/// assembly is left out.
[[nodiscard]] bool has_minimum_with_zero(std::string_view ptx);

/// Writes such selections by the opposite comparison, of which the back end makes a comparison and a selection. `ir` is
/// LLVM text of version 14 as the optimiser leaves it. Selections whose zero has the right sign, and those that may
/// ignore it (nsz, fast), stay as they are. Limits: scalars of half, float and double.
[[nodiscard]] std::string keep_signs_of_zeros(std::string_view ir);

}  // namespace castor::castor_cc
