#pragma once

#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// No token, or no position.
inline constexpr std::size_t kNoToken = std::string_view::npos;

[[nodiscard]] inline bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
[[nodiscard]] inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

enum class TokenKind { kWord, kNumber, kString, kPunctuator, kDirectiveEnd };

/// Token of a source text: positions [begin, end).
struct Token {
  TokenKind kind = TokenKind::kPunctuator;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// File name of an #include directive.
struct IncludedName {
  std::string name;
  bool quoted = false;  ///< "name", not <name>
};

/// Source text as tokens: words, numbers, literals, and punctuators of one character each, except `<<`, `<<<`, `>>` and
/// `>>>`. Comments and directives are left out. The name and replacement of a #define are included, followed by a
/// kDirectiveEnd.
/// Limits: the text must outlive the object.
class SourceTokens {
 public:
  explicit SourceTokens(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] const Token& operator[](std::size_t i) const { return tokens_[i]; }
  [[nodiscard]] const std::vector<IncludedName>& includes() const { return includes_; }

  /// Returns the text of a token; empty for an index beyond the last token.
  [[nodiscard]] std::string_view word(std::size_t i) const {
    return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin) : std::string_view();
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view what) const { return word(i) == what; }
  [[nodiscard]] bool is_word(std::size_t i) const { return i < size() && tokens_[i].kind == TokenKind::kWord; }
  [[nodiscard]] bool is_directive_end(std::size_t i) const {
    return i < size() && tokens_[i].kind == TokenKind::kDirectiveEnd;
  }
  /// True if tokens `i` and `i` + 1 are the two colons of `::`.
  [[nodiscard]] bool is_scope(std::size_t i) const { return is(i, ":") && is(i + 1, ":"); }
  /// Returns tokens [first, last) on one line, with a blank between tokens that were separated.
  [[nodiscard]] std::string joined(std::size_t first, std::size_t last) const;

  /// Returns the bracket that closes the round, square or curly bracket at `open`; kNoToken if there is none.
  [[nodiscard]] std::size_t closing(std::size_t open) const;
  /// Returns the bracket that opens the bracket closed at `close`; kNoToken if there is none.
  [[nodiscard]] std::size_t opening(std::size_t close) const;
  /// Returns the token after the template arguments whose `<` is at `open`; kNoToken if they do not end.
  [[nodiscard]] std::size_t behind_template_arguments(std::size_t open) const;

  /// True if tokens `i` and `i` + 1 are `<<` and `<`, and together open a launch.
  [[nodiscard]] bool opens_launch_apart(std::size_t i) const;
  /// Returns the bracket that closes the launch opened by token `i`: `>>>`, or `>>` with a separate `>`; kNoToken if
  /// there is none.
  [[nodiscard]] std::size_t launch_end(std::size_t i) const;

 private:
  [[nodiscard]] bool near(std::size_t i) const;
  [[nodiscard]] bool closes_launch_apart(std::size_t i) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<IncludedName> includes_;
};

/// Piece [begin, end) of a source, and its replacement.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

/// Returns the text with all edits applied; of two overlapping edits, only the first in the text. Returns nothing
/// without edits.
[[nodiscard]] std::optional<std::string> edited(std::string_view text, std::vector<Edit> edits);

}  // namespace castor::castor_cc
