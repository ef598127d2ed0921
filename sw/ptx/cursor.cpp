#include "ptx/cursor.h"

#include "castor/base/error.h"
#include "ptx/rules.h"

namespace castor::ptx {

Token Cursor::take() {
  const Token taken = token_;
  token_ = lexer_.next();
  return taken;
}

bool Cursor::accept(std::uint16_t code) {
  if (!at(code)) return false;
  token_ = lexer_.next();
  return true;
}

bool Cursor::accept_dot(std::string_view word) {
  if (!at_dot(word)) return false;
  token_ = lexer_.next();
  return true;
}

void Cursor::expect(std::uint16_t code, const char* where) {
  if (at(code)) {
    token_ = lexer_.next();
    return;
  }
  std::string what = "'";
  if (code > 0xff) what += static_cast<char>(code >> 8U);
  what += static_cast<char>(code & 0xffU);
  fail_expected(what + "' " + where);
}

Token Cursor::expect_identifier(const char* what) {
  if (token_.kind != TokenKind::kIdentifier || token_.text == "_") fail_expected(what);
  return take();
}

void Cursor::skip_line() {
  lexer_.skip_line();
  token_ = lexer_.next();
}

void Cursor::enter(const Token& at, const char* what) {
  if (++nesting_ > kMostNesting) fail(at, what);
}

void Cursor::fail(const Token& at, const std::string& message) const {
  throw base::InputError({file_, static_cast<int>(at.line), static_cast<int>(at.column)}, message);
}

void Cursor::fail_expected(const Token& at, const std::string& what) const {
  fail(at, "expected " + what + ", found " + describe(at));
}

void Cursor::fail_duplicate(const Token& name) const { fail(name, describe(name) + " is declared twice"); }

}  // namespace castor::ptx
