#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace castor::castor_cc {

/// CUDA feature or library that Castor does not have: prefix of its names, its own name, and an alternative.
struct Missing {
  std::string_view begins;
  std::string_view what;
  std::string_view instead;
};

/// Returns the first entry of `all` with whose prefix `name` begins; null if there is none.
template <std::size_t N>
[[nodiscard]] const Missing* find_missing(const std::array<Missing, N>& all, std::string_view name) {
  for (const Missing& missing : all) {
    if (name.substr(0, missing.begins.size()) == missing.begins) return &missing;
  }
  return nullptr;
}

/// Returns the line that explains the missing feature. `name` includes its quotes or brackets.
[[nodiscard]] inline std::string missing_note(const std::string& name, const Missing& missing) {
  return "castor-cc: note: " + name + " belongs to " + std::string(missing.what) +
         ", which Castor does not have; instead, " + std::string(missing.instead) + "\n";
}

/// Calls `use` with each quoted text that follows `before`, if `behind` follows the closing quote.
template <class Use>
void for_each_quoted(std::string_view text, std::string_view before, std::string_view behind, const Use& use) {
  for (std::size_t at = text.find(before); at != std::string_view::npos; at = text.find(before, at)) {
    at += before.size();
    const std::size_t end = text.find('\'', at);
    if (end == std::string_view::npos) return;
    if (text.substr(end + 1, behind.size()) == behind) use(text.substr(at, end - at));
  }
}

}  // namespace castor::castor_cc
