#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "castor_cc/source_tokens.h"

namespace castor::castor_cc {

/// True if the text has a #define of that name.
[[nodiscard]] bool defines_macro(std::string_view text, std::string_view name);

/// Returns the expansion of the macro used at token `use` of `source`, with its arguments substituted: nested macros
/// stay unexpanded, and the result is one line. `definition`: text that defines the macro, on `line` (counted from 1)
/// or on lines that `line` continues. `last`: receives the last token of the use. Returns nothing if no definition of
/// that name is found, or the arguments do not fit.
[[nodiscard]] std::optional<std::string> expanded_macro(const SourceTokens& source, std::size_t use,
                                                        std::string_view definition, std::size_t line,
                                                        std::size_t& last);

}  // namespace castor::castor_cc
