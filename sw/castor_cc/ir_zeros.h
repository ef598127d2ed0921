#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// clang 14's back end makes a minimum or maximum of `x < 0 ? x : 0` and its relatives (docs/decisions/
/// compiler-faults.md). For the zero of the other sign that is another value: the comparison calls the zeros equal and
/// gives the constant, PTX's min.f64 gives -0.

/// Returns true if PTX has a minimum or maximum with a zero in it, which may come from such a selection. Inline
/// assembly is left out.
[[nodiscard]] bool has_minimum_with_zero(std::string_view ptx);

/// Writes such selections by the opposite comparison, of which the back end makes a comparison and a selection. `ir` is
/// LLVM text of version 14 as the optimiser leaves it. Selections whose zero has the right sign, and those that may
/// ignore it (nsz, fast), stay as they are. Limits: scalars of half, float and double.
[[nodiscard]] std::string keep_signs_of_zeros(std::string_view ir);

}  // namespace castor::castor_cc
