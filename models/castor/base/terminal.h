#pragma once

#include <string>
#include <string_view>

namespace castor::base {

/// Messages for people on standard error.

/// Standard error is a terminal that shows colours, and nobody has asked for none (NO_COLOR is set and not empty; TERM
/// is dumb).
[[nodiscard]] bool stderr_has_colour();

/// A message with its word "error" or "warning" in colour: the first that begins the text or follows ": ". Without
/// `colour` the text as it is.
[[nodiscard]] std::string with_coloured_word(std::string_view text, bool colour);

/// Prints "castor: text" on standard error as one line or several, with colour where it is shown, behind what is
/// already printed on standard output.
void complain(std::string_view text);

}  // namespace castor::base
