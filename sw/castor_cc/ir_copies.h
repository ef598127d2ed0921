#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Widens the copies of structures in unoptimised device code, which is given as LLVM IR printed by clang 14.
///
/// clang writes `o[t] = i[t]` as a memcpy. It later splits a memcpy into accesses of at most 8 bytes. A piece that is
/// not 1, 2, 4 or 8 bytes long (such as the rest of a copy after `v.x += 1`) stays in local memory. This pass replaces
/// each memcpy of at most 128 bytes, a multiple of 4, between pointers aligned to 4 or more. The replacement is a
/// series of loads and stores of 32- and 64-bit integers and pointers, as the copied type has them. If a pointer is
/// known to refer to memory and not to a variable of the function, neighbouring integers in 16 (or 8) aligned bytes
/// become one vector access. The optimiser splits and joins integers in variables as needed, and the back end's
/// vectoriser joins the rest.
///
/// Copies of these classes stay unchanged: between two variables; of arguments passed by value to functions that are
/// not inlined (the optimiser resolves both); of unknown types; volatile copies; and copies with an unknown spelling.
/// An unknown spelling therefore costs speed, but never changes a result.
[[nodiscard]] std::string widen_copies(std::string_view ir);

}  // namespace castor::castor_cc
