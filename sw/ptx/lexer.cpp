#include "ptx/lexer.h"

#include <array>

#include "castor/base/error.h"

namespace castor::ptx {
namespace {

/// Classes of characters, as bits.
enum CharClass : std::uint8_t { kOther = 0, kLetter = 1, kDigit = 2, kSpace = 4, kPunct = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = kDigit;
  classes['_'] = classes['$'] = kLetter;
  for (const unsigned char c : {' ', '\t', '\r', '\n', '\v', '\f'}) classes[c] = kSpace;
  constexpr std::string_view kPunctuation = "()[]{}<>,;:@!|&^+-*/~=?%.";
  for (const char c : kPunctuation) classes[static_cast<unsigned char>(c)] = kPunct;
  return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool is(char c, unsigned mask) { return (kClasses[static_cast<unsigned char>(c)] & mask) != 0; }
constexpr unsigned kWord = kLetter | kDigit;

}  // namespace

Lexer::Lexer(std::string_view text, const std::string& file)
    : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()), file_(file) {}

void Lexer::fail(const char* at, const std::string& message) const {
  throw base::InputError({file_, static_cast<int>(line_), static_cast<int>(at - line_start_) + 1}, message);
}

bool Lexer::skip_space() {
  const char* const start = at_;
  while (at_ != end_) {
    const char c = *at_;
    if (is(c, kSpace)) {
      ++at_;
      if (c == '\n') {
        ++line_;
        line_start_ = at_;
      }
    } else if (c == '/' && end_ - at_ > 1 && at_[1] == '/') {
      while (at_ != end_ && *at_ != '\n') ++at_;
    } else if (c == '/' && end_ - at_ > 1 && at_[1] == '*') {
      const Lexer opened = *this;  // the error message points to the start of the comment
      at_ += 2;
      while (end_ - at_ > 1 && !(at_[0] == '*' && at_[1] == '/')) {
        if (*at_ == '\n') {
          ++line_;
          line_start_ = at_ + 1;
        }
        ++at_;
      }
      if (end_ - at_ < 2) opened.fail(opened.at_, "comment without its closing '*/'");
      at_ += 2;
    } else {
      break;
    }
  }
  return at_ != start;
}

bool Lexer::next_is(char c) const {
  const char* at = at_;
  while (at != end_ && is(*at, kSpace)) ++at;
  return at != end_ && *at == c;
}

void Lexer::skip_line() {
  while (at_ != end_ && *at_ != '\n') ++at_;
}

void Lexer::number() {
  const char* const start = at_;
  while (at_ != end_ && is(*at_, kWord)) ++at_;
  const bool prefixed = at_ - start > 1 && start[0] == '0' &&
                        (start[1] == 'x' || start[1] == 'X' || start[1] == 'b' || start[1] == 'B' || start[1] == 'f' ||
                         start[1] == 'F' || start[1] == 'd' || start[1] == 'D');
  if (prefixed) return;
  if (at_ != end_ && *at_ == '.' && (end_ - at_ == 1 || !is(at_[1], kLetter))) {
    ++at_;
    while (at_ != end_ && is(*at_, kWord)) ++at_;
  }
  if (at_ != end_ && (*at_ == '+' || *at_ == '-') && (at_[-1] == 'e' || at_[-1] == 'E')) {
    ++at_;
    while (at_ != end_ && is(*at_, kWord)) ++at_;
  }
}

void Lexer::string() {
  const char* const start = at_++;
  while (at_ != end_ && *at_ != '"' && *at_ != '\n') {
    if (*at_ == '\\' && end_ - at_ > 1 && at_[1] != '\n') ++at_;
    ++at_;
  }
  if (at_ == end_ || *at_ != '"') fail(start, "string without its closing '\"'");
  ++at_;
}

Token Lexer::next() {
  Token token;
  token.glued = !skip_space();
  token.line = line_;
  token.column = static_cast<std::uint32_t>(at_ - line_start_) + 1;
  if (at_ == end_) return token;
  const char* const start = at_;
  const char c = *at_;
  const bool word_follows = end_ - at_ > 1 && is(at_[1], kWord);
  bool value = false;
  if (is(c, kLetter) || (c == '%' && word_follows && !after_value_)) {
    token.kind = TokenKind::kIdentifier;
    ++at_;
    while (at_ != end_ && is(*at_, kWord)) ++at_;
  } else if (is(c, kDigit)) {
    token.kind = TokenKind::kNumber;
    number();
    value = true;
  } else if (c == '.' && word_follows) {
    token.kind = TokenKind::kDotWord;
    ++at_;
    for (;;) {
      while (at_ != end_ && is(*at_, kWord)) ++at_;
      if (end_ - at_ > 2 && at_[0] == ':' && at_[1] == ':' && is(at_[2], kWord)) {
        at_ += 2;
      } else {
        break;
      }
    }
  } else if (c == '"') {
    token.kind = TokenKind::kString;
    string();
    token.text = std::string_view(start + 1, static_cast<std::size_t>(at_ - start) - 2);
    after_value_ = false;
    return token;
  } else if (is(c, kPunct)) {
    token.kind = TokenKind::kPunctuation;
    token.code = static_cast<unsigned char>(c);
    ++at_;
    if (at_ != end_) {
      const char d = *at_;
      const bool doubled = d == c && (c == '<' || c == '>' || c == '&' || c == '|' || c == '=');
      const bool compared = d == '=' && (c == '<' || c == '>' || c == '!');
      if (doubled || compared) {
        token.code = static_cast<std::uint16_t>((token.code << 8U) | static_cast<unsigned char>(d));
        ++at_;
      }
    }
    value = c == ')';
  } else {
    fail(start, "unexpected character '" + base::printable(std::string_view(start, 1)) + "'");
  }
  token.text = std::string_view(start, static_cast<std::size_t>(at_ - start));
  after_value_ = value;
  return token;
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "end of file";
  if (token.kind == TokenKind::kString) return "string \"" + base::printable(token.text, 40) + "\"";
  return "'" + base::printable(token.text, 40) + "'";
}

}  // namespace castor::ptx
