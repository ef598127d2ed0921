#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Rewrites structures that functions take or return by value, where clang's PTX back end cannot pass them: it has no
/// 128-bit integers in arrays and no integers of an odd width (storage of bit fields, such as i56), and accesses
/// members of packed structures at addresses that are not aligned to them. The caller passes the address of a copy
/// instead, and a result becomes a structure of integers and pointers that the back end can return. Kernels keep their
/// parameters. The rewriting depends on the structure alone, so functions that call each other may lie in several
/// modules. `ir` is unoptimised LLVM IR of version 14 as text. Limit: types with a name only, which structures of C++
/// have.
[[nodiscard]] std::string plain_parameters(std::string_view ir);

}  // namespace castor::castor_cc
