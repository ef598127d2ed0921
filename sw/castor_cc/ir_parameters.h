#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Rewrites structures that functions take or return by value so that clang's back end for PTX can pass them. It fails
/// at members that are integers of an odd width (storage of bit fields, such as i56) and at arrays with 128-bit
/// integers in them. In the types of such structures the former become the next width that it has, the latter a
/// structure with a member for each element: size, alignment and offsets stay. `ir` is LLVM text of version 14, not
/// optimised yet. Limits: a structure stays as it is if constants of its type, or addresses inside of variables of its
/// type, are written out in `ir`, or if an array has more than 256 elements.
[[nodiscard]] std::string plain_parameters(std::string_view ir);

}  // namespace castor::castor_cc
