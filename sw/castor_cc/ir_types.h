#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Size and alignment in bytes of an LLVM type on nvptx64, with the numbers and pointers in it.
struct TypeLayout {
  std::uint64_t size = 0;
  std::uint64_t align = 1;
  /// A number of at most 8 bytes, half of a wider one, or a pointer.
  struct Leaf {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool pointer = false;
  };
  std::vector<Leaf> leaves;    ///< all values below the limit of the table, ascending; bytes outside are padding
  bool odd = false;            ///< the width of some integer is no power of two
  bool wide = false;           ///< some integer has more than 64 bits
  bool wide_elements = false;  ///< some array has such integers as elements

  /// Values at or beyond this offset are not listed, unless the table has another limit.
  static constexpr std::uint64_t kMostBytes = 128;
};

/// Named types of a module in LLVM's text form (version 14, typed pointers). Views into the module's text.
class TypeTable {
 public:
  explicit TypeTable(std::string_view ir, std::uint64_t most_bytes = TypeLayout::kMostBytes);

  /// Returns the layout of a type. Returns nothing for types without a size (opaque, void, functions) and for types
  /// that CUDA C++ never generates.
  [[nodiscard]] std::optional<TypeLayout> layout(std::string_view type) const;

 private:
  [[nodiscard]] std::optional<TypeLayout> layout(std::string_view type, unsigned depth) const;
  [[nodiscard]] std::optional<TypeLayout> structure(std::string_view members, bool packed, unsigned depth) const;
  [[nodiscard]] std::optional<TypeLayout> sequence(std::string_view body, bool vector, unsigned depth) const;

  std::map<std::string_view, std::string_view> named_;
  std::uint64_t most_bytes_;
};

/// Returns the names of the kernels of a module, "@_Z1kPi", from lines such as
/// `!7 = !{void (i32*)* @_Z1kPi, !"kernel", i32 1}`.
[[nodiscard]] std::set<std::string_view> kernel_names(std::string_view ir);

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
