#pragma once

#include <string>
#include <string_view>

namespace castor::base {

/// Messages for people on standard error.

/// Whether standard error is a terminal that shows colours. False if the user has switched colours off (NO_COLOR set
/// and not empty) or TERM is "dumb".
[[nodiscard]] bool stderr_has_colour();

/// Returns a message with its word "error" or "warning" in colour: the first one that begins the text or follows ": ".
/// Without `colour`, returns the text unchanged.
[[nodiscard]] std::string with_coloured_word(std::string_view text, bool colour);

/// Prints "castor: text" on standard error in one or several lines, in colour if the terminal shows colours. Standard
/// output is flushed first.
void complain(std::string_view text);

}  // namespace castor::base
