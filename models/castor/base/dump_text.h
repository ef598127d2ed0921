#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

/// Pieces of a value change dump (IEEE 1800-2017, clause 21.7). Names of values stand in variables of type `string`
/// with changes "s<name> <identifier>", which is GTKWave's addition to the format: a dump of the standard has numbers
/// alone.
namespace castor::base {

/// Identifier number `index`: printable characters, shortest first; none of several characters ends in '!'.
inline std::string identifier(std::size_t index) {
  std::string text;
  do {
    text += static_cast<char>('!' + index % 94);
    index /= 94;
  } while (index != 0);
  return text;
}

/// The variable with the names of a signal's values, in the signal's scope.
inline std::string name_variable(std::string_view signal, std::string_view identifier) {
  std::string text("$var string 1 ");
  text.append(identifier).append(" ").append(signal).append("_name $end\n");
  return text;
}

/// Where the identifier begins in the line of a change: behind the digit of a scalar, behind the blank of others. npos:
/// there is none.
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

/// Calls `visit(line, at)` for each line of `text`, with what `identifier_at` says of it.
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
