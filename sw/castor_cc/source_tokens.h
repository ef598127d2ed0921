#pragma once

#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// No token, no place.
inline constexpr std::size_t kNoToken = std::string_view::npos;

[[nodiscard]] inline bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
[[nodiscard]] inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

enum class TokenKind { kWord, kNumber, kString, kPunctuator, kDirectiveEnd };

struct Token {
  TokenKind kind = TokenKind::kPunctuator;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A name in an #include directive of a source.
struct IncludedName {
  std::string name;
  bool quoted = false;  ///< "name", not <name>
};

/// A source as tokens: words, numbers, literals, and punctuators of one character each, but for `<<`, `<<<`, `>>` and
/// `>>>`. Comments and directives are left out; what a #define defines is there, with a kDirectiveEnd behind it.
/// Limits: the text must outlive it.
class SourceTokens {
 public:
  explicit SourceTokens(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] const Token& operator[](std::size_t i) const { return tokens_[i]; }
  [[nodiscard]] const std::vector<IncludedName>& includes() const { return includes_; }

  /// The text of a token; empty behind the last one.
  [[nodiscard]] std::string_view word(std::size_t i) const {
    return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin) : std::string_view();
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view what) const { return word(i) == what; }
  [[nodiscard]] bool is_word(std::size_t i) const { return i < size() && tokens_[i].kind == TokenKind::kWord; }
  [[nodiscard]] bool is_directive_end(std::size_t i) const {
    return i < size() && tokens_[i].kind == TokenKind::kDirectiveEnd;
  }
  /// `::` is two tokens.
  [[nodiscard]] bool is_scope(std::size_t i) const { return is(i, ":") && is(i + 1, ":"); }
  /// Tokens [first, last) on one line, with a blank where something stood between two of them.
  [[nodiscard]] std::string joined(std::size_t first, std::size_t last) const;

  /// The bracket that closes the round, square or curly one at `open`; kNoToken if there is none.
  [[nodiscard]] std::size_t closing(std::size_t open) const;
  /// The bracket that opens the one at `close`; kNoToken if there is none.
  [[nodiscard]] std::size_t opening(std::size_t close) const;
  /// The token behind the template arguments that open at `open`, a `<`; kNoToken if they do not end.
  [[nodiscard]] std::size_t behind_template_arguments(std::size_t open) const;

  /// Two tokens, `<<` and `<`, that open a launch.
  [[nodiscard]] bool opens_launch_apart(std::size_t i) const;
  /// The bracket that closes the launch opened by token `i`: `>>>`, or `>>` with a `>` apart; kNoToken if there is
  /// none.
  [[nodiscard]] std::size_t launch_end(std::size_t i) const;

 private:
  [[nodiscard]] bool near(std::size_t i) const;
  [[nodiscard]] bool closes_launch_apart(std::size_t i) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<IncludedName> includes_;
};

/// A piece of a source and what stands in its place.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

/// The text with all edits made; of two that overlap the one that begins first. Nothing if there are none.
[[nodiscard]] std::optional<std::string> edited(std::string_view text, std::vector<Edit> edits);

}  // namespace castor::castor_cc
