#include "castor/base/words.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <numeric>

namespace castor::base {
namespace {

/// Returns the number of insertions, deletions, replacements and swaps of neighbouring letters that turn `a` into `b`;
/// no letter is edited twice.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) out.append(i == 0 ? "" : between).append(words[i]);
  return out;
}

std::string shell_word(std::string_view word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+@%=-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::string closest_word(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > 100) return {};
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best == nullptr ? std::string{} : *best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates, std::string_view behind) {
  const std::string near = closest_word(word, candidates);
  return near.empty() ? near : "did you mean " + near + "?" + std::string(behind);
}

std::string demangled(std::string_view text) {
  std::string name(text);
  // The library would also demangle names of types: a kernel called "i" would become "int".
  if (name.compare(0, 2, "_Z") != 0) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && readable ? readable.get() : name;
}

std::string function_name(const std::string& demangled) {
  // Scans backwards over the parameter list in brackets, then to the blank that follows the result type.
  std::size_t depth = 0, end = demangled.size();
  const std::size_t close = demangled.rfind(')');
  if (close == std::string::npos) return demangled;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (demangled[at] == ')') ++depth;
    if (demangled[at] == '(' && --depth == 0) {
      end = at;
      break;
    }
  }
  std::size_t begin = end;
  for (; begin > 0; --begin) {
    const char c = demangled[begin - 1];
    if (c == ')' || c == '>' || c == '}' || c == ']') ++depth;
    if ((c == '(' || c == '<' || c == '{' || c == '[') && depth > 0) --depth;
    if (c == ' ' && depth == 0) break;
  }
  return begin == end ? demangled : demangled.substr(begin, end - begin);
}

std::string readable_name(std::string_view name) {
  const char* const mangled = std::getenv("CASTOR_MANGLED");
  return mangled != nullptr && std::string_view(mangled) == "1" ? std::string(name) : demangled(name);
}

}  // namespace castor::base
