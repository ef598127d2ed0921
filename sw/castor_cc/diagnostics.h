#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Translates the device compiler's messages for the user. A crash report of the back end (stack dump, request for a
/// bug report) is replaced by one message that names the cause in the source and a remedy. Diagnostics with file and
/// line stay unchanged.
///
/// `ir`: LLVM IR of the same source as text, or empty; used to name the variable whose initialiser was refused.
[[nodiscard]] std::string translate_device_errors(std::string_view error_text, const std::string& source,
                                                  std::string_view ir);

/// Returns the diagnostics of the host compilation, except the diagnostics that the device compilation of the same file
/// has already printed.
[[nodiscard]] std::string without_repeats(std::string_view host_text, std::string_view device_text);

/// Returns the name of the first variable in `ir` whose initialiser is an address plus an offset; empty if there is
/// none.
[[nodiscard]] std::string variable_with_offset_initializer(std::string_view ir);

/// Returns the demangled form of a C++ name; other names stay unchanged.
[[nodiscard]] std::string readable_name(const std::string& mangled);

}  // namespace castor::castor_cc
