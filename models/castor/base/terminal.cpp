#include "castor/base/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace castor::base {

bool stderr_has_colour() {
  const char* const refused = std::getenv("NO_COLOR");
  if (refused != nullptr && *refused != '\0') return false;
  const char* const terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return ::isatty(STDERR_FILENO) == 1;
}

std::string with_coloured_word(std::string_view text, bool colour) {
  struct Word {
    std::string_view text, sequence;
  };
  static constexpr Word kWords[] = {{"error", "\x1b[1;31m"}, {"warning", "\x1b[1;35m"}};
  if (!colour) return std::string(text);
  std::size_t first = std::string_view::npos;
  const Word* found = nullptr;
  for (const Word& word : kWords) {
    for (std::size_t at = text.find(word.text); at != std::string_view::npos; at = text.find(word.text, at + 1)) {
      const std::size_t end = at + word.text.size();
      const bool begins = at == 0 || (at >= 2 && text.substr(at - 2, 2) == ": ");
      if (!begins || (end < text.size() && text[end] != ' ' && text[end] != ':')) continue;
      if (at < first) {
        first = at;
        found = &word;
      }
      break;
    }
  }
  if (found == nullptr) return std::string(text);
  const std::size_t end = first + found->text.size();
  return std::string(text.substr(0, first)) + std::string(found->sequence) + std::string(found->text) + "\x1b[0m" +
         std::string(text.substr(end));
}

void complain(std::string_view text) {
  std::fflush(stdout);
  const std::string line = "castor: " + std::string(text) + "\n";
  std::fputs(with_coloured_word(line, stderr_has_colour()).c_str(), stderr);
}

}  // namespace castor::base
