#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// The header with the functions that `call_wide_functions` calls.
inline constexpr const char* kWideIntegersHeader = "castor_cuda/wide_integers.h";

/// Whether LLVM text has what clang's back end for PTX does not have of 128-bit integers: division, remainder, and
/// conversion to and from float and double.
[[nodiscard]] bool needs_wide_functions(std::string_view ir);

/// Makes each of these a call of a function of kWideIntegersHeader, which `ir` must define.
[[nodiscard]] std::string call_wide_functions(std::string_view ir);

}  // namespace castor::castor_cc
