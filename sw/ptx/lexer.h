#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace castor::ptx {

/// Types of tokens.
enum class TokenKind : std::uint8_t {
  kEnd,
  kIdentifier,  ///< letters, digits, `_`, `$`, `%`; a single `_` is an identifier too
  kDotWord,     ///< `.reg`, `.L1::evict_last`: the dot is part of the text
  kNumber,      ///< anything that starts with a digit; parse_number says whether it is well formed
  kString,      ///< text without the quotes
  kPunctuation,
};

/// Code of a punctuation token of one or two characters, such as punctuation("<<").
[[nodiscard]] constexpr std::uint16_t punctuation(const char* text) {
  const auto first = static_cast<std::uint16_t>(static_cast<unsigned char>(text[0]));
  return text[1] == '\0' ? first : static_cast<std::uint16_t>((first << 8U) | static_cast<unsigned char>(text[1]));
}

/// Token of PTX text, with its position.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool glued = false;        ///< no white space separates the token from the previous token
  std::uint16_t code = 0;    ///< kPunctuation: its code
  std::uint32_t line = 1;    ///< 1-based
  std::uint32_t column = 1;  ///< 1-based, in bytes
  std::string_view text;     ///< points into the parsed text
};

/// Splits PTX text into tokens, one at a time; white space and both kinds of comments are skipped.
/// Errors: base::InputError for an unterminated comment or string, or a byte that PTX does not use.
class Lexer {
 public:
  /// `text` must outlive the lexer and its tokens. `file` is used in messages.
  Lexer(std::string_view text, const std::string& file);

  [[nodiscard]] Token next();
  /// True if `c` is the next character after white space.
  [[nodiscard]] bool next_is(char c) const;
  /// Drops everything up to the end of the current line.
  void skip_line();

 private:
  [[nodiscard]] bool skip_space();
  [[noreturn]] void fail(const char* at, const std::string& message) const;
  void number();
  void string();

  const char* at_;
  const char* end_;
  const char* line_start_;
  std::uint32_t line_ = 1;
  bool after_value_ = false;  // the previous token ends a constant, so `%` is the remainder operator
  const std::string& file_;
};

/// Returns the token as messages quote it: 'text', or "end of file".
[[nodiscard]] std::string describe(const Token& token);

}  // namespace castor::ptx
