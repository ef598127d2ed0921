#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Rewrites the copies of structures in unoptimised device code, given as clang 14 prints it.
///
/// clang writes `o[t] = i[t]` as a memcpy. It later cuts what is left of one into accesses of at most 8 bytes, and
/// keeps a piece that is neither 1, 2, 4 nor 8 bytes long (what `v.x += 1` leaves of a copy) in local memory. Each
/// memcpy of at most 128 bytes, a multiple of 4, between pointers aligned to 4 or more becomes loads and stores of 32-
/// and 64-bit integers and pointers, as the type copied has them. Where a pointer is known to lead to memory, not to a
/// variable of the function, integers that lie together in 16 aligned bytes (or 8) are loaded and stored as one vector.
/// The optimiser takes apart and joins integers in variables as it needs, and the back end's vectoriser joins what
/// remains.
///
/// Copies between two variables and of arguments that are passed by value to functions that are not inlined (the
/// optimiser resolves these), of types unknown here, volatile ones and whatever is spelled in another way stay as they
/// are, so an unknown spelling costs speed, never a result.
[[nodiscard]] std::string widen_copies(std::string_view ir);

}  // namespace castor::castor_cc
