#include <cmath>

#include "castor/base/error.h"
#include "ptx/parser_state.h"

// Constant expressions (PTX ISA, "Constant Expressions"): computed in 64 bits, signed, unsigned or double.
namespace castor::ptx {
namespace {

using Kind = Constant::Kind;

/// Priority of a binary operator, higher binds more strongly; 0: none.
int priority(std::uint16_t code) {
  switch (code) {
    case punctuation("*"):
    case punctuation("/"):
    case punctuation("%"):
      return 10;
    case punctuation("+"):
    case punctuation("-"):
      return 9;
    case punctuation("<<"):
    case punctuation(">>"):
      return 8;
    case punctuation("<"):
    case punctuation(">"):
    case punctuation("<="):
    case punctuation(">="):
      return 7;
    case punctuation("=="):
    case punctuation("!="):
      return 6;
    case punctuation("&"):
      return 5;
    case punctuation("^"):
      return 4;
    case punctuation("|"):
      return 3;
    case punctuation("&&"):
      return 2;
    case punctuation("||"):
      return 1;
    default:
      return 0;
  }
}

bool truth(const Constant& value) { return value.is_integer() ? value.bits != 0 : value.as_double() != 0; }

template <class T>
bool compare(std::uint16_t code, T a, T b) {
  switch (code) {
    case punctuation("<"):
      return a < b;
    case punctuation(">"):
      return a > b;
    case punctuation("<="):
      return a <= b;
    case punctuation(">="):
      return a >= b;
    case punctuation("=="):
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace

bool Parser::at_cast() const { return at('(') && lexer_.next_is('.'); }

bool Parser::at_constant() const {
  return token_.kind == TokenKind::kNumber || at('-') || at('+') || at('~') || at('!') || at('(') ||
         (token_.kind == TokenKind::kIdentifier && token_.text == "WARP_SZ");
}

Constant Parser::literal(const Token& token) const {
  Constant value;
  std::string error;
  if (!parse_number(token.text, value, error)) fail(token, describe(token) + " is " + error);
  return value;
}

Constant Parser::unary_expression() {
  const Token first = token_;
  if (++nesting_ > kMostNesting) fail(first, "a constant expression that is nested too deeply");
  Constant value;
  if (first.kind == TokenKind::kNumber) {
    value = literal(take());
  } else if (first.kind == TokenKind::kIdentifier && first.text == "WARP_SZ") {
    take();
    value = Constant::of(std::int64_t{32});
  } else if (at_cast()) {
    take();
    const bool is_signed = at_dot(".s64");
    if (!is_signed && !at_dot(".u64")) fail_expected(".s64 or .u64 in a cast");
    take();
    expect(')', "after the type of a cast");
    value = unary_expression();
    if (!value.is_integer()) fail(first, "a floating-point constant cannot be cast");
    value.kind = is_signed ? Kind::kSigned : Kind::kUnsigned;
  } else if (accept('(')) {
    value = constant_expression();
    expect(')', "after a constant expression");
  } else if (accept('-')) {
    value = unary_expression();
    if (value.is_integer()) {
      value.bits = ~value.bits + 1;
    } else if (value.kind == Kind::kSingleBits) {
      value.bits ^= 0x80000000U;
    } else {
      value.bits ^= std::uint64_t{1} << 63U;
    }
  } else if (accept('+')) {
    value = unary_expression();
  } else if (at('~') || at('!')) {
    const bool complement = at('~');
    take();
    value = unary_expression();
    if (!value.is_integer()) fail(first, describe(first) + " needs an integer constant");
    value = complement ? Constant{Kind::kUnsigned, ~value.bits} : Constant::of(std::int64_t{value.bits == 0 ? 1 : 0});
  } else {
    fail_expected("a constant");
  }
  --nesting_;
  return value;
}

Constant Parser::combine(const Token& op, const Constant& a, const Constant& b) const {
  const std::uint16_t code = op.code;
  if (a.is_integer() != b.is_integer()) {
    fail(op, "operator " + describe(op) + " between an integer and a floating-point constant");
  }
  if (code == punctuation("&&")) return Constant::of(std::int64_t{truth(a) && truth(b) ? 1 : 0});
  if (code == punctuation("||")) return Constant::of(std::int64_t{truth(a) || truth(b) ? 1 : 0});
  const int level = priority(code);
  if (!a.is_integer()) {
    const double x = a.as_double();
    const double y = b.as_double();
    if (level == 6 || level == 7) return Constant::of(std::int64_t{compare(code, x, y) ? 1 : 0});
    switch (code) {
      case punctuation("+"):
        return Constant::of(x + y);
      case punctuation("-"):
        return Constant::of(x - y);
      case punctuation("*"):
        return Constant::of(x * y);
      case punctuation("/"):
        if (y == 0) fail(op, "division by zero in a constant expression");
        return Constant::of(x / y);
      default:
        fail(op, "operator " + describe(op) + " needs integer constants");
    }
  }
  const bool is_signed = a.kind == Kind::kSigned && b.kind == Kind::kSigned;
  const auto sa = static_cast<std::int64_t>(a.bits);
  const auto sb = static_cast<std::int64_t>(b.bits);
  if (level == 6 || level == 7) {
    const bool result = is_signed ? compare(code, sa, sb) : compare(code, a.bits, b.bits);
    return Constant::of(std::int64_t{result ? 1 : 0});
  }
  Constant result{is_signed ? Kind::kSigned : Kind::kUnsigned, 0};
  switch (code) {
    case punctuation("+"):
      result.bits = a.bits + b.bits;
      break;
    case punctuation("-"):
      result.bits = a.bits - b.bits;
      break;
    case punctuation("*"):
      result.bits = a.bits * b.bits;
      break;
    case punctuation("/"):
    case punctuation("%"): {
      if (b.bits == 0) fail(op, "division by zero in a constant expression");
      const bool divide = code == punctuation("/");
      if (!is_signed) {
        result.bits = divide ? a.bits / b.bits : a.bits % b.bits;
      } else if (sb == -1) {
        result.bits = divide ? ~a.bits + 1 : 0;  // also for the one quotient that does not fit
      } else {
        result.bits = static_cast<std::uint64_t>(divide ? sa / sb : sa % sb);
      }
      break;
    }
    case punctuation("<<"):
      result = {a.kind, b.bits > 63 ? 0 : a.bits << b.bits};
      break;
    case punctuation(">>"):
      if (a.kind == Kind::kSigned) {
        result = Constant::of(sa >> (b.bits > 63 ? 63 : b.bits));
      } else {
        result = {a.kind, b.bits > 63 ? 0 : a.bits >> b.bits};
      }
      break;
    case punctuation("&"):
      result = {Kind::kUnsigned, a.bits & b.bits};
      break;
    case punctuation("^"):
      result = {Kind::kUnsigned, a.bits ^ b.bits};
      break;
    case punctuation("|"):
      result = {Kind::kUnsigned, a.bits | b.bits};
      break;
    default:
      fail_expected(op, "an operator");
  }
  return result;
}

Constant Parser::binary_expression(int lowest) {
  Constant left = unary_expression();
  for (;;) {
    const int level = token_.kind == TokenKind::kPunctuation ? priority(token_.code) : 0;
    if (level == 0 || level < lowest) return left;
    const Token op = take();
    left = combine(op, left, binary_expression(level + 1));
  }
}

Constant Parser::constant_expression() {
  if (++nesting_ > kMostNesting) fail(token_, "a constant expression that is nested too deeply");
  Constant value = binary_expression(1);
  if (at('?')) {
    const Token op = take();
    const Constant yes = constant_expression();
    expect(':', "between the values of '?:'");
    const Constant no = constant_expression();
    if (yes.is_integer() != no.is_integer())
      fail(op, "the values of '?:' are an integer and a floating-point constant");
    value = truth(value) ? yes : no;
  }
  --nesting_;
  return value;
}

std::uint64_t Parser::unsigned_constant(const char* what, std::uint64_t most) {
  const Token start = token_;
  if (!at_constant()) fail_expected(what);
  const Constant value = constant_expression();
  const bool negative = value.kind == Kind::kSigned && static_cast<std::int64_t>(value.bits) < 0;
  if (!value.is_integer() || negative || value.bits > most) {
    fail(start, std::string("expected ") + what + " from 0 to " + std::to_string(most) + ", found " + describe(start));
  }
  return value.bits;
}

std::uint64_t Parser::to_bits(const Token& at, const Constant& value, isa::Type type) const {
  std::uint64_t bits = 0;
  std::string error;
  if (!convert(value, type, bits, error)) fail(at, error);
  return bits;
}

}  // namespace castor::ptx
