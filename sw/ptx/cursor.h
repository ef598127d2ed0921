#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/lexer.h"

namespace castor::ptx {

/// Position of the parser in its text, with one token of lookahead, which is all that the grammar of PTX needs. Counts
/// the nesting depth of the construct being read. All error messages about the text are made here, so that each names
/// its file, line and column.
class Cursor {
 public:
  /// `text` and `file` must outlive the cursor.
  Cursor(std::string_view text, const std::string& file) : file_(file), lexer_(text, file), token_(lexer_.next()) {}

  /// Returns the next token without taking it.
  [[nodiscard]] const Token& token() const { return token_; }
  Token take();
  [[nodiscard]] bool at(std::uint16_t code) const {
    return token_.kind == TokenKind::kPunctuation && token_.code == code;
  }
  [[nodiscard]] bool at_dot(std::string_view word) const {
    return token_.kind == TokenKind::kDotWord && token_.text == word;
  }
  /// Takes the next token and returns true if it is the punctuation `code`.
  bool accept(std::uint16_t code);
  bool accept_dot(std::string_view word);
  /// Takes the punctuation `code`, or fails with "expected '<code>' <where>".
  void expect(std::uint16_t code, const char* where);
  Token expect_identifier(const char* what);

  /// True if `c` is the first character, besides white space, after the next token.
  [[nodiscard]] bool next_is(char c) const { return lexer_.next_is(c); }
  /// Drops the rest of the next token's line; the first token of the following line becomes the next token.
  void skip_line();
  /// Returns a copy of the lexer, for reading beyond the next token while the cursor stays.
  [[nodiscard]] Lexer ahead() const { return lexer_; }

  /// Enters a construct that may be nested, such as parentheses; fails with `what` if it is nested too deeply.
  void enter(const Token& at, const char* what);
  void leave() { --nesting_; }

  // Functions that throw base::InputError with file, line and column of a token.
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
