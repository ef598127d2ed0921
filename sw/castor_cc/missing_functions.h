#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Finds names of CUDA interfaces that the compiler did not know, and launches in device code, in the compiler's
/// messages. Returns one line per feature, with its name and an alternative. Empty if there is none.
[[nodiscard]] std::string explain_missing_functions(std::string_view error_text);

}  // namespace castor::castor_cc
