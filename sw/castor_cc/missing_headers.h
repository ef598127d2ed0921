#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Searches the compiler's messages for missing headers of a CUDA toolkit, its samples or related libraries. Returns
/// one line per header, with the header's origin and an alternative; empty if nothing is found.
[[nodiscard]] std::string explain_missing_headers(std::string_view error_text);

}  // namespace castor::castor_cc
