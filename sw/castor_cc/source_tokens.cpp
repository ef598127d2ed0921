#include "castor_cc/source_tokens.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace castor::castor_cc {
namespace {

/// Splits a source into tokens. `<<`, `<<<` and so on are one token, as the compiler reads them.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    while (at_ < text_.size()) step();
    if (in_directive_) add(TokenKind::kDirectiveEnd, text_.size());
    return std::move(tokens_);
  }
  std::vector<IncludedName> includes() && { return std::move(includes_); }

 private:
  void add(TokenKind kind, std::size_t end) {
    tokens_.push_back({kind, at_, end});
    at_ = end;
  }
  [[nodiscard]] char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  /// Returns the end of the line, continuation lines included.
  [[nodiscard]] std::size_t line_end(std::size_t from) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] != '\n') continue;
      std::size_t last = i;
      if (last > from && text_[last - 1] == '\r') --last;
      if (last == from || text_[last - 1] != '\\') return i;
    }
    return text_.size();
  }

  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      if (in_directive_) tokens_.push_back({TokenKind::kDirectiveEnd, at_, at_});
      in_directive_ = false;
      line_begins_ = true;
      ++at_;
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at_ += peek(1) == '\n' ? 2 : 3;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      at_ = line_end(at_);
    } else if (c == '/' && peek(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == kNoToken ? text_.size() : end + 2;
    } else if (c == '#' && line_begins_) {
      directive();
    } else {
      line_begins_ = false;
      token(c);
    }
  }

  void token(char c) {
    if (c == '"' || c == '\'') return add(TokenKind::kString, literal_end(c));
    if (is_letter(c)) {
      std::size_t end = at_;
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
      const std::string_view word = text_.substr(at_, end - at_);
      if (end < text_.size() && text_[end] == '"' && !word.empty() && word.back() == 'R') return raw_string(end);
      return add(TokenKind::kWord, end);
    }
    if (is_digit(c)) {
      // A digit separator does not begin a character literal.
      std::size_t end = at_;
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.' ||
                                    (text_[end] == '\'' && end + 1 < text_.size() &&
                                     std::isalnum(static_cast<unsigned char>(text_[end + 1])) != 0))) {
        ++end;
      }
      return add(TokenKind::kNumber, end);
    }
    if (c == '<' || c == '>') {
      std::size_t length = 1;
      while (length < 3 && peek(length) == c) ++length;
      return add(TokenKind::kPunctuator, at_ + length);
    }
    add(TokenKind::kPunctuator, at_ + 1);
  }

  /// Returns the end of a literal; an unclosed literal ends with its line.
  [[nodiscard]] std::size_t literal_end(char quote) const {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        return i + 1;
      } else if (text_[i] == '\n') {
        return i;
      }
    }
    return text_.size();
  }

  void raw_string(std::size_t quote) {
    constexpr std::size_t kLongestDelimiter = 16;
    const std::size_t open = text_.find('(', quote);
    if (open == kNoToken || open - quote > kLongestDelimiter + 1) return add(TokenKind::kString, quote + 1);
    const std::string closing = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = text_.find(closing, open);
    add(TokenKind::kString, end == kNoToken ? text_.size() : end + closing.size());
  }

  void directive() {
    std::size_t at = at_ + 1;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    std::size_t end = at;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string_view name = text_.substr(at, end - at);
    if (name == "define") {
      in_directive_ = true;
      line_begins_ = false;
      at_ = end;
      return;
    }
    // #if conditions, messages and pragmas contain nothing to rewrite.
    const std::size_t stop = line_end(at_);
    if (name == "include" || name == "include_next" || name == "import") {
      std::string_view rest = text_.substr(end, stop - end);
      const std::size_t open = rest.find_first_of("\"<");
      if (open != kNoToken) {
        const bool quoted = rest[open] == '"';
        const std::size_t close = rest.find(quoted ? '"' : '>', open + 1);
        if (close != kNoToken) includes_.push_back({std::string(rest.substr(open + 1, close - open - 1)), quoted});
      }
    }
    at_ = stop;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  bool in_directive_ = false;
  std::vector<Token> tokens_;
  std::vector<IncludedName> includes_;
};

bool opens(std::string_view word) { return word == "(" || word == "[" || word == "{"; }
bool closes(std::string_view word) { return word == ")" || word == "]" || word == "}"; }

}  // namespace

SourceTokens::SourceTokens(std::string_view text) : text_(text) {
  Lexer lexer(text);
  tokens_ = lexer.tokens();
  includes_ = std::move(lexer).includes();
}

std::string SourceTokens::joined(std::size_t first, std::size_t last) const {
  std::string out;
  for (std::size_t i = first; i < last; ++i) {
    if (i > first && tokens_[i].begin != tokens_[i - 1].end) out += ' ';
    out += word(i);
  }
  return out;
}

std::size_t SourceTokens::closing(std::size_t open) const {
  int depth = 0;
  for (std::size_t i = open; i < tokens_.size(); ++i) {
    if (opens(word(i))) ++depth;
    if (closes(word(i)) && --depth == 0) return i;
  }
  return kNoToken;
}

std::size_t SourceTokens::opening(std::size_t close) const {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (closes(word(i))) ++depth;
    if (opens(word(i)) && --depth == 0) return i;
  }
  return kNoToken;
}

std::size_t SourceTokens::behind_template_arguments(std::size_t open) const {
  int depth = 0;
  for (std::size_t i = open; i < tokens_.size(); ++i) {
    const std::string_view w = word(i);
    if (w == ";" || closes(w)) return kNoToken;
    if (opens(w)) {
      i = closing(i);
      if (i == kNoToken) return kNoToken;
    } else if (w == "<") {
      ++depth;
    } else if (w.find('>') == 0) {
      depth -= static_cast<int>(w.size());
      if (depth <= 0) return i + 1;
    }
  }
  return kNoToken;
}

/// True if only white space and line continuations separate tokens `i` and `i` + 1.
bool SourceTokens::near(std::size_t i) const {
  const std::string_view between = text_.substr(tokens_[i].end, tokens_[i + 1].begin - tokens_[i].end);
  return between.find_first_not_of(" \t\r\n\\") == kNoToken;
}
bool SourceTokens::opens_launch_apart(std::size_t i) const {
  // `operator<< <T>` is the name of a function, not a launch.
  return is(i, "<<") && is(i + 1, "<") && near(i) && (i == 0 || !is(i - 1, "operator"));
}
bool SourceTokens::closes_launch_apart(std::size_t i) const {
  if (!is(i, ">>") || !is(i + 1, ">") || !near(i)) return false;
  return is(i + 2, "(") || (i + 2 < tokens_.size() && tokens_[i + 2].kind == TokenKind::kDirectiveEnd);
}
/// The closing bracket of a launch is the last closing bracket of its statement. Earlier closing brackets at the same
/// depth belong to template arguments.
std::size_t SourceTokens::launch_end(std::size_t i) const {
  const bool apart = is(i, "<<");
  std::size_t closing = kNoToken;
  int depth = 0;
  for (std::size_t j = i + (apart ? 2 : 1); j < tokens_.size(); ++j) {
    if (tokens_[j].kind == TokenKind::kDirectiveEnd) break;
    const std::string_view w = word(j);
    if (w == "(" || w == "[" || w == "{") ++depth;
    if (w == ")" || w == "]" || w == "}") --depth;
    if (depth < 0 || (depth == 0 && (w == ";" || w == "<<<" || opens_launch_apart(j)))) break;
    if (depth == 0 && (w == ">>>" || closes_launch_apart(j))) closing = j;
  }
  return closing;
}

std::optional<std::string> edited(std::string_view text, std::vector<Edit> edits) {
  if (edits.empty()) return std::nullopt;
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t copied = 0;
  for (const Edit& edit : edits) {
    // skips an edit that overlaps an earlier edit: the closing bracket of a launch inside a launch
    if (edit.begin < copied) continue;
    out.append(text.substr(copied, edit.begin - copied)).append(edit.text);
    copied = edit.end;
  }
  out.append(text.substr(copied));
  return out;
}

}  // namespace castor::castor_cc
