#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "castor_cc/source_tokens.h"

namespace castor::castor_cc {

/// Whether a text has a #define of that name.
[[nodiscard]] bool defines_macro(std::string_view text, std::string_view name);

/// What the use of a macro at token `use` of `source` stands for, with its arguments in place: one level, on one line.
/// `definition` is the text that defines it, on `line` (from 1 on) or on lines that `line` continues. Nothing if no
/// definition of that name is there, or the arguments do not fit. `last`: the last token of the use.
[[nodiscard]] std::optional<std::string> expanded_macro(const SourceTokens& source, std::size_t use,
                                                        std::string_view definition, std::size_t line,
                                                        std::size_t& last);

}  // namespace castor::castor_cc
