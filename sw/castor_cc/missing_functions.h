#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// For names of CUDA's interfaces that the compiler did not know, and launches that device code makes, in what it
/// printed: one line per feature that says what the name belongs to and what to do instead. Empty if there is none.
[[nodiscard]] std::string explain_missing_functions(std::string_view error_text);

}  // namespace castor::castor_cc
