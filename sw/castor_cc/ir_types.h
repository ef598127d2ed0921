#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Size and alignment in bytes of an LLVM type on nvptx64, with the numbers and pointers in it.
struct TypeLayout {
  std::uint64_t size = 0;
  std::uint64_t align = 1;
  /// A number of at most 8 bytes, half of a 128-bit one, or a pointer.
  struct Leaf {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool pointer = false;
  };
  std::vector<Leaf> leaves;  ///< all values below kMostBytes, ascending; bytes outside all values are padding

  /// Values at or beyond this offset are not listed.
  static constexpr std::uint64_t kMostBytes = 128;
};

/// Named types of a module in LLVM's text form (version 14, typed pointers). Views into the module's text.
class TypeTable {
 public:
  explicit TypeTable(std::string_view ir);

  /// Returns the layout of a type. Returns nothing for types without a size (opaque, void, functions) and for types
  /// that CUDA C++ never generates.
  [[nodiscard]] std::optional<TypeLayout> layout(std::string_view type) const;

 private:
  [[nodiscard]] std::optional<TypeLayout> layout(std::string_view type, unsigned depth) const;
  [[nodiscard]] std::optional<TypeLayout> structure(std::string_view members, bool packed, unsigned depth) const;
  [[nodiscard]] std::optional<TypeLayout> sequence(std::string_view body, bool vector, unsigned depth) const;

  std::map<std::string_view, std::string_view> named_;
};

/// Calls use(line) for every line of `text`, without its line end.
template <class Use>
void for_each_line(std::string_view text, const Use& use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    use(text.substr(at, end - at));
    at = end + 1;
  }
}

[[nodiscard]] inline bool begins_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// Returns the position after the quoted string that begins at `at`.
[[nodiscard]] std::size_t behind_string(std::string_view text, std::size_t at);

/// Splits `text` at its top-level commas; commas inside brackets or quotes do not count. Stops at an unmatched closing
/// bracket.
[[nodiscard]] std::vector<std::string_view> split_operands(std::string_view text);

/// Returns the number of characters of the type that `text` begins with; 0 if it begins with none.
[[nodiscard]] std::size_t type_length(std::string_view text);

/// Returns the number of characters of the value name, "%7" or "%\"a b\"", that `text` begins with; 0 if it begins with
/// none.
[[nodiscard]] std::size_t name_length(std::string_view text);

}  // namespace castor::castor_cc
