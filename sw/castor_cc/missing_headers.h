#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Finds headers of a CUDA toolkit, its samples or related libraries that the compiler did not find, in the compiler's
/// messages. Returns one line per header, with the header's origin and an alternative. Empty if there is none.
[[nodiscard]] std::string explain_missing_headers(std::string_view error_text);

}  // namespace castor::castor_cc
