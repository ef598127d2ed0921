#include "ptx/expressions.h"

#include <cmath>

// Evaluation of constant expressions (PTX ISA, "Constant Expressions") in 64 bits: signed, unsigned or double.
namespace castor::ptx {
namespace {

using Kind = Constant::Kind;

/// Returns the priority of a binary operator: an operator of higher priority binds more strongly. 0: `code` is no
/// binary operator.
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

bool Expressions::at_cast() const { return text_.at('(') && text_.next_is('.'); }

bool Expressions::at_constant() const {
  return text_.token().kind == TokenKind::kNumber || text_.at('-') || text_.at('+') || text_.at('~') || text_.at('!') ||
         text_.at('(') || (text_.token().kind == TokenKind::kIdentifier && text_.token().text == "WARP_SZ");
}

Constant Expressions::literal(const Token& token) const {
  Constant value;
  std::string error;
  if (!parse_number(token.text, value, error)) text_.fail(token, describe(token) + " is " + error);
  return value;
}

Constant Expressions::unary_expression() {
  const Token first = text_.token();
  text_.enter(first, "a constant expression that is nested too deeply");
  Constant value;
  if (first.kind == TokenKind::kNumber) {
    value = literal(text_.take());
  } else if (first.kind == TokenKind::kIdentifier && first.text == "WARP_SZ") {
    text_.take();
    value = Constant::of(std::int64_t{32});
  } else if (at_cast()) {
    text_.take();
    const bool is_signed = text_.at_dot(".s64");
    if (!is_signed && !text_.at_dot(".u64")) text_.fail_expected(".s64 or .u64 in a cast");
    text_.take();
    text_.expect(')', "after the type of a cast");
    value = unary_expression();
    if (!value.is_integer()) text_.fail(first, "a floating-point constant cannot be cast");
    value.kind = is_signed ? Kind::kSigned : Kind::kUnsigned;
  } else if (text_.accept('(')) {
    value = constant_expression();
    text_.expect(')', "after a constant expression");
  } else if (text_.accept('-')) {
    value = unary_expression();
    if (value.is_integer()) {
      value.bits = ~value.bits + 1;
    } else if (value.kind == Kind::kSingleBits) {
      value.bits ^= 0x80000000U;
    } else {
      value.bits ^= std::uint64_t{1} << 63U;
    }
  } else if (text_.accept('+')) {
    value = unary_expression();
  } else if (text_.at('~') || text_.at('!')) {
    const bool complement = text_.at('~');
    text_.take();
    value = unary_expression();
    if (!value.is_integer()) text_.fail(first, describe(first) + " needs an integer constant");
    value = complement ? Constant{Kind::kUnsigned, ~value.bits} : Constant::of(std::int64_t{value.bits == 0 ? 1 : 0});
  } else {
    text_.fail_expected("a constant");
  }
  text_.leave();
  return value;
}

Constant Expressions::combine(const Token& op, const Constant& a, const Constant& b) const {
  const std::uint16_t code = op.code;
  if (a.is_integer() != b.is_integer()) {
    text_.fail(op, "operator " + describe(op) + " between an integer and a floating-point constant");
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
        if (y == 0) text_.fail(op, "division by zero in a constant expression");
        return Constant::of(x / y);
      default:
        text_.fail(op, "operator " + describe(op) + " needs integer constants");
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
      if (b.bits == 0) text_.fail(op, "division by zero in a constant expression");
      const bool divide = code == punctuation("/");
      if (!is_signed) {
        result.bits = divide ? a.bits / b.bits : a.bits % b.bits;
      } else if (sb == -1) {
        result.bits = divide ? ~a.bits + 1 : 0;  // also right for -2^63 / -1, whose quotient does not fit
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
      text_.fail_expected(op, "an operator");
  }
  return result;
}

Constant Expressions::binary_expression(int lowest) {
  Constant left = unary_expression();
  for (;;) {
    const int level = text_.token().kind == TokenKind::kPunctuation ? priority(text_.token().code) : 0;
    if (level == 0 || level < lowest) return left;
    const Token op = text_.take();
    left = combine(op, left, binary_expression(level + 1));
  }
}

Constant Expressions::constant_expression() {
  text_.enter(text_.token(), "a constant expression that is nested too deeply");
  Constant value = binary_expression(1);
  if (text_.at('?')) {
    const Token op = text_.take();
    const Constant yes = constant_expression();
    text_.expect(':', "between the values of '?:'");
    const Constant no = constant_expression();
    if (yes.is_integer() != no.is_integer())
      text_.fail(op, "the values of '?:' are an integer and a floating-point constant");
    value = truth(value) ? yes : no;
  }
  text_.leave();
  return value;
}

std::uint64_t Expressions::unsigned_constant(const char* what, std::uint64_t most) {
  const Token start = text_.token();
  if (!at_constant()) text_.fail_expected(what);
  const Constant value = constant_expression();
  const bool negative = value.kind == Kind::kSigned && static_cast<std::int64_t>(value.bits) < 0;
  if (!value.is_integer() || negative || value.cut || value.bits > most) {
    text_.fail(start,
               std::string("expected ") + what + " from 0 to " + std::to_string(most) + ", found " + describe(start));
  }
  return value.bits;
}

std::uint64_t Expressions::to_bits(const Token& at, const Constant& value, isa::Type type) const {
  std::uint64_t bits = 0;
  std::string error;
  if (!convert(value, type, bits, error)) text_.fail(at, error);
  return bits;
}

}  // namespace castor::ptx
