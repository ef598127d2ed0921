#include "castor_cc/source_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace castor::castor_cc {
namespace {

/// Rewriter of one source text, see rewrite_for_clang.
class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text), tokens_(text) {}

  std::optional<std::string> rewrite() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_.is(i, "asm") || tokens_.is(i, "__asm__") || tokens_.is(i, "__asm")) assembly(i + 1);
      if (tokens_.is(i, "<<<") || tokens_.opens_launch_apart(i)) launch(i);
    }
    return edited(text_, std::move(edits_));
  }

 private:
  void join(std::size_t i, const char* bracket) {
    const Token& first = tokens_[i];
    const Token& second = tokens_[i + 1];
    edits_.push_back(
        {first.begin, second.end, std::string(bracket).append(text_.substr(first.end, second.begin - first.end))});
  }

  void launch(std::size_t i) {
    const std::size_t closing = tokens_.launch_end(i);
    if (closing == kNoToken) return;
    if (tokens_.is(i, "<<")) join(i, "<<<");
    if (tokens_.is(closing, ">>")) join(closing, ">>>");
  }

  void assembly(std::size_t i) {
    static constexpr std::array kQualifiers = {std::string_view("volatile"), std::string_view("__volatile__"),
                                               std::string_view("__volatile"), std::string_view("goto"),
                                               std::string_view("inline")};
    while (std::find(kQualifiers.begin(), kQualifiers.end(), tokens_.word(i)) != kQualifiers.end()) ++i;
    if (!tokens_.is(i, "(")) return;
    std::vector<std::size_t> strings;
    bool operands = false;
    int depth = 1;
    for (++i; i < tokens_.size() && depth > 0 && !operands; ++i) {
      if (tokens_[i].kind == TokenKind::kString) strings.push_back(i);
      depth += tokens_.is(i, "(") ? 1 : tokens_.is(i, ")") ? -1 : 0;
      operands = tokens_.is(i, ":");
    }
    for (const std::size_t s : strings) percent_signs(tokens_[s], operands);
  }

  void percent_signs(const Token& literal, bool operands) {
    for (std::size_t at = literal.begin + 1; at + 1 < literal.end; ++at) {
      if (text_[at] != '%') continue;
      const bool doubled = text_[at + 1] == '%';
      const std::size_t name = at + (doubled ? 2 : 1);
      if (is_letter(text_[name])) {
        // A letter before a number or a bracket modifies how an operand is printed.
        const bool operand = is_digit(text_[name + 1]) || text_[name + 1] == '[';
        if (operands && !doubled && !operand) edits_.push_back({at, at, "%"});
        if (!operands && doubled) edits_.push_back({at, at + 1, ""});
      }
      at = name - 1;
    }
  }

  std::string_view text_;
  SourceTokens tokens_;
  std::vector<Edit> edits_;
};

}  // namespace

std::optional<std::string> rewrite_for_clang(std::string_view text) {
  // Most sources contain neither launches with such brackets nor asm.
  if (text.find("<<") == kNoToken && text.find("asm") == kNoToken) return std::nullopt;
  return Rewriter(text).rewrite();
}

std::vector<IncludedName> included_names(std::string_view text) { return SourceTokens(text).includes(); }

}  // namespace castor::castor_cc
