#include "castor_cc/source_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <set>

namespace castor::castor_cc {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

enum class Kind { kWord, kNumber, kString, kPunctuator, kDirectiveEnd };

struct Token {
  Kind kind = Kind::kPunctuator;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Cuts a source into the tokens that matter here. `<<`, `<<<` and the like are one token, as the compiler reads them.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    while (at_ < text_.size()) step();
    if (in_directive_) add(Kind::kDirectiveEnd, text_.size());
    return std::move(tokens_);
  }
  std::vector<IncludedName> includes() && { return std::move(includes_); }

 private:
  void add(Kind kind, std::size_t end) {
    tokens_.push_back({kind, at_, end});
    at_ = end;
  }
  [[nodiscard]] char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  /// The end of the line, over continuations.
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
      if (in_directive_) tokens_.push_back({Kind::kDirectiveEnd, at_, at_});
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
      at_ = end == kNone ? text_.size() : end + 2;
    } else if (c == '#' && line_begins_) {
      directive();
    } else {
      line_begins_ = false;
      token(c);
    }
  }

  void token(char c) {
    if (c == '"' || c == '\'') return add(Kind::kString, literal_end(c));
    if (is_letter(c)) {
      std::size_t end = at_;
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
      const std::string_view word = text_.substr(at_, end - at_);
      if (end < text_.size() && text_[end] == '"' && !word.empty() && word.back() == 'R') return raw_string(end);
      return add(Kind::kWord, end);
    }
    if (is_digit(c)) {
      // Digit separators are no character literals.
      std::size_t end = at_;
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.' ||
                                    (text_[end] == '\'' && end + 1 < text_.size() &&
                                     std::isalnum(static_cast<unsigned char>(text_[end + 1])) != 0))) {
        ++end;
      }
      return add(Kind::kNumber, end);
    }
    if (c == '<' || c == '>') {
      std::size_t length = 1;
      while (length < 3 && peek(length) == c) ++length;
      return add(Kind::kPunctuator, at_ + length);
    }
    add(Kind::kPunctuator, at_ + 1);
  }

  /// The end of a literal; of one that is not closed, its line.
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
    if (open == kNone || open - quote > kLongestDelimiter + 1) return add(Kind::kString, quote + 1);
    const std::string closing = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = text_.find(closing, open);
    add(Kind::kString, end == kNone ? text_.size() : end + closing.size());
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
    // Conditions, messages and pragmas hold nothing to rewrite.
    const std::size_t stop = line_end(at_);
    if (name == "include" || name == "include_next" || name == "import") {
      std::string_view rest = text_.substr(end, stop - end);
      const std::size_t open = rest.find_first_of("\"<");
      if (open != kNone) {
        const bool quoted = rest[open] == '"';
        const std::size_t close = rest.find(quoted ? '"' : '>', open + 1);
        if (close != kNone) includes_.push_back({std::string(rest.substr(open + 1, close - open - 1)), quoted});
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

/// A piece of the source and what stands in its place.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text), tokens_(Lexer(text).tokens()) {}

  std::optional<std::string> rewrite() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is(i, "asm") || is(i, "__asm__") || is(i, "__asm")) assembly(i + 1);
      if (is(i, "<<<") || opens_apart(i)) launch(i);
    }
    return edited();
  }

  std::optional<std::string> rewrite_launches(const std::vector<SourcePlace>& places, bool older) {
    std::set<std::size_t> opening;
    for (const SourcePlace& place : places) {
      const std::size_t found = opening_bracket(offset_of(place));
      if (found != kNone) opening.insert(found);
    }
    for (const std::size_t i : opening) device_launch(i, older);
    return edited();
  }

 private:
  std::optional<std::string> edited() {
    if (edits_.empty()) return std::nullopt;
    std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t copied = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < copied) continue;  // the closing bracket of a launch inside a launch
      out.append(text_.substr(copied, edit.begin - copied)).append(edit.text);
      copied = edit.end;
    }
    out.append(text_.substr(copied));
    return out;
  }

  [[nodiscard]] std::size_t offset_of(const SourcePlace& place) const {
    std::size_t begin = 0;
    for (std::size_t line = 1; line < place.line; ++line) {
      begin = text_.find('\n', begin);
      if (begin == kNone) return kNone;
      ++begin;
    }
    return begin + place.column - 1;
  }

  /// The `<<<` that stands at `offset`, or behind the name there in the same statement.
  [[nodiscard]] std::size_t opening_bracket(std::size_t offset) const {
    const auto first = std::find_if(tokens_.begin(), tokens_.end(), [&](const Token& t) { return t.begin >= offset; });
    if (first == tokens_.end() || first->begin != offset) return kNone;
    for (auto i = static_cast<std::size_t>(first - tokens_.begin()); i < tokens_.size(); ++i) {
      if (is(i, "<<<")) return i;
      if (is(i, ";") || is(i, "{") || is(i, "}") || tokens_[i].kind == Kind::kDirectiveEnd) return kNone;
    }
    return kNone;
  }

  /// The first token of the name, with scopes and template arguments, that ends before token `end`; `end` if there is
  /// none.
  [[nodiscard]] std::size_t name_before(std::size_t end) const {
    std::size_t at = end;
    while (at > 0) {
      std::size_t name = at - 1;
      if (word(name).find('>') == 0) {  // template arguments
        int open = 0;
        int brackets = 0;
        for (bool done = false; !done; --name) {
          const std::string_view w = word(name);
          if (w == ")" || w == "]" || w == "}") ++brackets;
          if (w == "(" || w == "[" || w == "{") --brackets;
          if (brackets == 0 && w.find('>') == 0) open += static_cast<int>(w.size());
          if (brackets == 0 && w == "<") --open;
          done = open <= 0;
          if (name == 0) return end;
        }
      }
      if (tokens_[name].kind != Kind::kWord) return at;
      at = name;
      if (at < 2 || !is(at - 1, ":") || !is(at - 2, ":")) return at;
      at -= 2;  // a scope before it, or the global one
      const bool scoped = at > 0 && (tokens_[at - 1].kind == Kind::kWord || word(at - 1).find('>') == 0);
      if (!scoped || is(at - 1, "return") || is(at - 1, "else") || is(at - 1, "do")) return at;
    }
    return at;
  }

  void device_launch(std::size_t i, bool older) {
    const std::size_t closing = closing_bracket(i);
    const std::size_t first = name_before(i);
    if (closing == kNone || first == i) return;
    const std::string name(text_.substr(tokens_[first].begin, tokens_[i - 1].end - tokens_[first].begin));
    const std::string call =
        older ? "::castor::launch_of<decltype(&" + name + "), &" + name + ">(" : "::castor::launch<" + name + ">(";
    edits_.push_back({tokens_[first].begin, tokens_[i].end, call});
    edits_.push_back({tokens_[closing].begin, tokens_[closing].end, ")"});
  }

  [[nodiscard]] std::string_view word(std::size_t i) const {
    return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin) : std::string_view();
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view what) const { return word(i) == what; }
  /// Only white space and line continuations between two tokens.
  [[nodiscard]] bool near(std::size_t i) const {
    const std::string_view between = text_.substr(tokens_[i].end, tokens_[i + 1].begin - tokens_[i].end);
    return between.find_first_not_of(" \t\r\n\\") == kNone;
  }
  [[nodiscard]] bool opens_apart(std::size_t i) const {
    // `operator<< <T>` names a function.
    return is(i, "<<") && is(i + 1, "<") && near(i) && (i == 0 || !is(i - 1, "operator"));
  }
  [[nodiscard]] bool closes_apart(std::size_t i) const {
    if (!is(i, ">>") || !is(i + 1, ">") || !near(i)) return false;
    return is(i + 2, "(") || (i + 2 < tokens_.size() && tokens_[i + 2].kind == Kind::kDirectiveEnd);
  }
  void join(std::size_t i, const char* bracket) {
    const Token& first = tokens_[i];
    const Token& second = tokens_[i + 1];
    edits_.push_back(
        {first.begin, second.end, std::string(bracket).append(text_.substr(first.end, second.begin - first.end))});
  }

  /// The bracket that closes the launch opened by token `i` is the last one of its statement: what comes before it at
  /// the same depth closes template arguments.
  [[nodiscard]] std::size_t closing_bracket(std::size_t i) const {
    const bool apart = is(i, "<<");
    std::size_t closing = kNone;
    int depth = 0;
    for (std::size_t j = i + (apart ? 2 : 1); j < tokens_.size(); ++j) {
      if (tokens_[j].kind == Kind::kDirectiveEnd) break;
      const std::string_view w = word(j);
      if (w == "(" || w == "[" || w == "{") ++depth;
      if (w == ")" || w == "]" || w == "}") --depth;
      if (depth < 0 || (depth == 0 && (w == ";" || w == "<<<" || opens_apart(j)))) break;
      if (depth == 0 && (w == ">>>" || closes_apart(j))) closing = j;
    }
    return closing;
  }

  void launch(std::size_t i) {
    const std::size_t closing = closing_bracket(i);
    if (closing == kNone) return;
    if (is(i, "<<")) join(i, "<<<");
    if (is(closing, ">>")) join(closing, ">>>");
  }

  void assembly(std::size_t i) {
    static constexpr std::array kQualifiers = {std::string_view("volatile"), std::string_view("__volatile__"),
                                               std::string_view("__volatile"), std::string_view("goto"),
                                               std::string_view("inline")};
    while (std::find(kQualifiers.begin(), kQualifiers.end(), word(i)) != kQualifiers.end()) ++i;
    if (!is(i, "(")) return;
    std::vector<std::size_t> strings;
    bool operands = false;
    int depth = 1;
    for (++i; i < tokens_.size() && depth > 0 && !operands; ++i) {
      if (tokens_[i].kind == Kind::kString) strings.push_back(i);
      depth += is(i, "(") ? 1 : is(i, ")") ? -1 : 0;
      operands = is(i, ":");
    }
    for (const std::size_t s : strings) percent_signs(tokens_[s], operands);
  }

  void percent_signs(const Token& literal, bool operands) {
    for (std::size_t at = literal.begin + 1; at + 1 < literal.end; ++at) {
      if (text_[at] != '%') continue;
      const bool doubled = text_[at + 1] == '%';
      const std::size_t name = at + (doubled ? 2 : 1);
      if (is_letter(text_[name])) {
        // A letter before a number or a bracket is how an operand is to be written.
        const bool operand = is_digit(text_[name + 1]) || text_[name + 1] == '[';
        if (operands && !doubled && !operand) edits_.push_back({at, at, "%"});
        if (!operands && doubled) edits_.push_back({at, at + 1, ""});
      }
      at = name - 1;
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<Edit> edits_;
};

}  // namespace

std::optional<std::string> rewrite_for_clang(std::string_view text) {
  // Most sources have neither.
  if (text.find("<<") == kNone && text.find("asm") == kNone) return std::nullopt;
  return Rewriter(text).rewrite();
}

std::optional<std::string> rewrite_launches(std::string_view text, const std::vector<SourcePlace>& places, bool older) {
  return Rewriter(text).rewrite_launches(places, older);
}

std::vector<IncludedName> included_names(std::string_view text) {
  Lexer lexer(text);
  static_cast<void>(lexer.tokens());
  return std::move(lexer).includes();
}

}  // namespace castor::castor_cc
