#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// What the device compiler printed, made fit for a user: the crash reports of its back end (stack dump, request for a
/// bug report) are replaced by one message that says what the source contains and what to do instead. Diagnostics with
/// file and line stay as they are.
///
/// `ir` is the LLVM text of the same source, or empty; with it the variable behind a refused initialiser is named.
[[nodiscard]] std::string translate_device_errors(std::string_view error_text, const std::string& source,
                                                  std::string_view ir);

/// The diagnostics of the host compilation without those that the device compilation of the same file has printed.
[[nodiscard]] std::string without_repeats(std::string_view host_text, std::string_view device_text);

/// Name of the variable in `ir` whose initialiser takes the address of something with an offset; empty if there is
/// none.
[[nodiscard]] std::string variable_with_offset_initializer(std::string_view ir);

/// A C++ name for people: demangled where it can be.
[[nodiscard]] std::string readable_name(const std::string& mangled);

}  // namespace castor::castor_cc
