#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Searches the compiler's messages for unknown names of CUDA interfaces and for launches in device code. Returns one
/// line per feature, with its name and an alternative; empty if nothing is found.
[[nodiscard]] std::string explain_missing_functions(std::string_view error_text);

}  // namespace castor::castor_cc
