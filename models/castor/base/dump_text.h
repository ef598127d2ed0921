#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

/// Functions that write and read the text of a value change dump (IEEE 1800-2017, clause 21.7). The standard's dumps
/// hold numbers only. Names of values are written in GTKWave's extension: variables of type `string` with changes
/// "s<name> <identifier>".
namespace castor::base {

/// Returns identifier number `index`: printable characters, shortest first. No identifier of several characters ends in
/// '!'.
inline std::string identifier(std::size_t index) {
  std::string text;
  do {
    text += static_cast<char>('!' + index % 94);
    index /= 94;
  } while (index != 0);
  return text;
}

/// Returns the declaration of the string variable that shows the names of a signal's values, in the signal's scope.
inline std::string name_variable(std::string_view signal, std::string_view identifier) {
  std::string text("$var string 1 ");
  text.append(identifier).append(" ").append(signal).append("_name $end\n");
  return text;
}

/// Returns where the identifier begins in a line of changes: behind the digit of a scalar, behind the blank of other
/// values. Returns npos if the line has no identifier.
inline std::size_t identifier_at(std::string_view change) {
  switch (change.empty() ? '\0' : change[0]) {
    case '0':
    case '1':
    case 'x':
    case 'X':
    case 'z':
    case 'Z':
      return change.size() > 1 ? 1 : std::string_view::npos;
    case 'b':
    case 'B':
    case 'r':
    case 'R':
    case 's':
    case 'S': {
      const std::size_t blank = change.find(' ');
      return blank == std::string_view::npos || blank + 1 == change.size() ? std::string_view::npos : blank + 1;
    }
    default:
      return std::string_view::npos;
  }
}

/// Calls `visit(line, at)` for each line of `text`; `at` is the result of `identifier_at(line)`.
template <class Visit>
void each_change(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    visit(line, identifier_at(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace castor::base
