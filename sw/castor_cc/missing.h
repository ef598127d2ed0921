#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Something around CUDA that Castor does not have: names that begin so belong to it, and what to do instead.
struct Missing {
  std::string_view begins;
  std::string_view what;
  std::string_view instead;
};

/// The first of `all` that `name` belongs to; null if there is none.
template <std::size_t N>
[[nodiscard]] const Missing* find_missing(const std::array<Missing, N>& all, std::string_view name) {
  for (const Missing& missing : all) {
    if (name.substr(0, missing.begins.size()) == missing.begins) return &missing;
  }
  return nullptr;
}

/// The line that says so of `name`, which has its quotes or brackets.
[[nodiscard]] inline std::string missing_note(const std::string& name, const Missing& missing) {
  return "castor-cc: note: " + name + " belongs to " + std::string(missing.what) +
         ", which Castor does not have; instead, " + std::string(missing.instead) + "\n";
}

/// Calls `use` for what stands in quotes behind each `before`, if `behind` follows the closing quote.
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
