#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Header with the functions that `call_wide_functions` calls.
inline constexpr const char* kWideIntegersHeader = "castor_cuda/wide_integers.h";

/// Returns true if the IR contains 128-bit integer operations that clang's PTX back end does not support: division,
/// remainder, and conversion to and from float and double.
[[nodiscard]] bool needs_wide_functions(std::string_view ir);

/// Replaces each such operation by a call of a function of kWideIntegersHeader, which `ir` must define.
[[nodiscard]] std::string call_wide_functions(std::string_view ir);

}  // namespace castor::castor_cc
