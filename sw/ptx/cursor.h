#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/lexer.h"

namespace castor::ptx {

/// Where the parser is in its text: one token ahead, which is all that the grammar of PTX needs, and how deeply nested
/// what is being read is. All messages about the text are made here, so that each names its place.
class Cursor {
 public:
  /// Both must outlive the cursor.
  Cursor(std::string_view text, const std::string& file) : file_(file), lexer_(text, file), token_(lexer_.next()) {}

  /// The next token, not yet taken.
  [[nodiscard]] const Token& token() const { return token_; }
  Token take();
  [[nodiscard]] bool at(std::uint16_t code) const {
    return token_.kind == TokenKind::kPunctuation && token_.code == code;
  }
  [[nodiscard]] bool at_dot(std::string_view word) const {
    return token_.kind == TokenKind::kDotWord && token_.text == word;
  }
  /// Takes the next token if it is that.
  bool accept(std::uint16_t code);
  bool accept_dot(std::string_view word);
  /// Takes it, or fails: "expected '<code>' <where>".
  void expect(std::uint16_t code, const char* where);
  Token expect_identifier(const char* what);

  /// The next character behind the next token and white space is `c`.
  [[nodiscard]] bool next_is(char c) const { return lexer_.next_is(c); }
  /// Drops the rest of the next token's line; the next token is the one behind it.
  void skip_line();
  /// Reads on behind the next token; the cursor stays.
  [[nodiscard]] Lexer ahead() const { return lexer_; }

  /// Something begins that may hold others of its kind; fails with `what` if that is too deep.
  void enter(const Token& at, const char* what);
  void leave() { --nesting_; }

  // Errors: base::InputError with file, line and column.
  [[noreturn]] void fail(const Token& at, const std::string& message) const;
  [[noreturn]] void fail_expected(const std::string& what) const { fail_expected(token_, what); }
  [[noreturn]] void fail_expected(const Token& at, const std::string& what) const;
  [[noreturn]] void fail_duplicate(const Token& name) const;

 private:
  const std::string& file_;
  Lexer lexer_;
  Token token_;
  unsigned nesting_ = 0;
};

}  // namespace castor::ptx
