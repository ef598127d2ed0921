#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Zeros compare equal, whatever their signs, but a selection between a value and a zero returns exactly one of the
/// two. clang 14 replaces such selections by others (docs/decisions/compiler-faults.md). Its back end makes a minimum
/// or maximum of `x < 0 ? x : 0` and its relatives, for which PTX's min.f64 gives -0. Its optimiser replaces `x > 0 ? z
/// : x` by `x < z ? x : z` if z is -0 or if x is converted in the selection.

/// Returns true if PTX has a minimum or maximum with a zero in it, which may come from such a selection. Inline
/// assembly is left out.
[[nodiscard]] bool has_minimum_with_zero(std::string_view ptx);

/// Replaces such selections by the opposite comparison, which the back end compiles to a comparison and a selection.
/// `ir` is the optimiser's output as LLVM text of version 14. Selections whose zero has the right sign, and those that
/// may ignore it (nsz, fast), stay unchanged. Limits: scalars of half, float and double.
[[nodiscard]] std::string keep_signs_of_zeros(std::string_view ir);

/// Returns true if PTX compares with a zero and has a -0, or a conversion between floating-point types: the optimiser
/// may have exchanged zeros.
[[nodiscard]] bool may_have_exchanged_zeros(std::string_view ptx);

/// Returns true if the optimiser may have made a selection of `ir` from one that gives another zero: by a comparison
/// with a zero it gives -0, or it is converted and gives a zero or the value that was compared. Limit: not if the
/// optimiser has computed with the zero that is selected, as in `1 / (x > 0 ? -0.0 : x)`.
[[nodiscard]] bool has_doubtful_zeros(std::string_view ir);

/// Hides an operand of all comparisons with a possible zero from the optimiser, so that it takes no selection for a
/// minimum or maximum. `ir` is the front end's output.
[[nodiscard]] std::string hide_comparisons(std::string_view ir);

/// Restores the operands hidden by `hide_comparisons` in the optimiser's output.
[[nodiscard]] std::string show_comparisons(std::string_view ir);

}  // namespace castor::castor_cc
