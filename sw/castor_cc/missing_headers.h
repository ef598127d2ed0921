#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// For each header that the compiler did not find (in what it printed) and that comes with a CUDA toolkit, its samples
/// or a library around it: one line that says what it belongs to and what to do instead. Empty if there is none.
[[nodiscard]] std::string explain_missing_headers(std::string_view error_text);

}  // namespace castor::castor_cc
