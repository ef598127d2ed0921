#include "castor_cc/macro_text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace castor::castor_cc {
namespace {

/// Macro: its parameters and the tokens of its replacement.
struct Macro {
  bool function = false;  ///< function-like macro, even without parameters
  bool variadic = false;  ///< the last parameter takes all further arguments
  std::vector<std::string> parameters;
  std::size_t first = 0;  ///< first token of the replacement
  std::size_t last = 0;   ///< token after the replacement
};

/// Parses `NAME(a, b...) tokens` at token `at`. The replacement ends at the next kDirectiveEnd.
std::optional<Macro> macro_at(const SourceTokens& tokens, std::size_t at) {
  Macro macro;
  std::size_t i = at + 1;
  if (tokens.is(i, "(") && tokens[i].begin == tokens[at].end) {
    macro.function = true;
    for (++i; !tokens.is(i, ")"); ++i) {
      if (i >= tokens.size() || tokens.is_directive_end(i)) return std::nullopt;
      if (tokens.is_word(i)) macro.parameters.emplace_back(tokens.word(i));
      if (!tokens.is(i, ".") || macro.variadic) continue;
      macro.variadic = true;
      if (tokens.is(i - 1, "(") || tokens.is(i - 1, ",")) macro.parameters.emplace_back("__VA_ARGS__");
    }
    ++i;
  }
  macro.first = i;
  while (i < tokens.size() && !tokens.is_directive_end(i)) ++i;
  macro.last = i;
  return macro;
}

/// True if token `i` follows `#define`.
bool is_defined(const SourceTokens& tokens, std::size_t i) {
  constexpr std::string_view kDefine = "define";
  const std::string_view before = tokens.text().substr(0, tokens[i].begin);
  const std::size_t end = before.find_last_not_of(" \t\\\r\n");
  return end != kNoToken && end + 1 >= kDefine.size() &&
         before.substr(end + 1 - kDefine.size(), kDefine.size()) == kDefine;
}

/// Returns the last definition of `name` that begins on `line` or before it.
std::optional<Macro> find_macro(const SourceTokens& tokens, std::string_view name, std::size_t line) {
  const std::string_view text = tokens.text();
  std::size_t end = 0;  // end of the line
  for (std::size_t n = 0; n < line && end != kNoToken; ++n) end = text.find('\n', n == 0 ? 0 : end + 1);
  std::optional<Macro> found;
  for (std::size_t i = 0; i < tokens.size() && tokens[i].begin < end; ++i) {
    if (tokens.is(i, name) && is_defined(tokens, i)) found = macro_at(tokens, i);
  }
  return found;
}

/// Returns the arguments of a macro use whose bracket opens at token `open`.
std::vector<std::string> arguments_of(const SourceTokens& tokens, std::size_t open, std::size_t close,
                                      const Macro& macro) {
  std::vector<std::string> arguments;
  std::size_t first = open + 1;
  for (std::size_t i = first; i <= close; ++i) {
    const std::string_view w = tokens.word(i);
    const bool rest = macro.variadic && arguments.size() + 1 == macro.parameters.size();
    if (i == close || (w == "," && !rest)) {
      arguments.push_back(tokens.joined(first, i));
      first = i + 1;
    } else if (w == "(" || w == "{" || w == "[") {
      // the preprocessor matches round brackets only, but in valid code a comma inside other brackets does not separate
      // arguments
      i = tokens.closing(i);
    }
  }
  if (macro.parameters.empty() && arguments.size() == 1 && arguments.front().empty()) arguments.clear();
  if (macro.variadic && arguments.size() + 1 == macro.parameters.size()) arguments.emplace_back();
  return arguments;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// Returns the replacement with arguments in place of parameters, and with `#` and `##` applied.
std::string substituted(const SourceTokens& tokens, const Macro& macro, const std::vector<std::string>& arguments) {
  std::string out;
  const auto argument = [&](std::size_t i) -> const std::string* {
    const auto found = std::find(macro.parameters.begin(), macro.parameters.end(), tokens.word(i));
    return found == macro.parameters.end() ? nullptr
                                           : &arguments[static_cast<std::size_t>(found - macro.parameters.begin())];
  };
  for (std::size_t i = macro.first; i < macro.last; ++i) {
    if (tokens.is(i, "#") && tokens.is(i + 1, "#")) {
      while (!out.empty() && out.back() == ' ') out.pop_back();
      // ", ## rest" with an empty `rest`: the comma is dropped as well
      const std::string* const next = argument(i + 2);
      if (next != nullptr && next->empty() && !out.empty() && out.back() == ',') out.pop_back();
      ++i;
      continue;
    }
    const bool pasted = i >= macro.first + 2 && tokens.is(i - 1, "#") && tokens.is(i - 2, "#");
    if (i > macro.first && !pasted && tokens[i].begin != tokens[i - 1].end) out += ' ';
    if (macro.function && tokens.is(i, "#") && argument(i + 1) != nullptr) {
      out += quoted(*argument(++i));
    } else if (const std::string* const with = argument(i); with != nullptr) {
      out += *with;
    } else {
      out += tokens.word(i);
    }
  }
  return out;
}

}  // namespace

bool defines_macro(std::string_view text, std::string_view name) {
  if (text.find(name) == kNoToken) return false;
  const SourceTokens tokens(text);
  return find_macro(tokens, name, kNoToken).has_value();
}

std::optional<std::string> expanded_macro(const SourceTokens& source, std::size_t use, std::string_view definition,
                                          std::size_t line, std::size_t& last) {
  const SourceTokens tokens(definition);
  const std::optional<Macro> macro = find_macro(tokens, source.word(use), line);
  if (!macro) return std::nullopt;
  last = use;
  if (!macro->function) return substituted(tokens, *macro, {});
  if (!source.is(use + 1, "(")) return std::nullopt;
  last = source.closing(use + 1);
  if (last == kNoToken) return std::nullopt;
  const std::vector<std::string> arguments = arguments_of(source, use + 1, last, *macro);
  if (arguments.size() != macro->parameters.size()) return std::nullopt;
  return substituted(tokens, *macro, arguments);
}

}  // namespace castor::castor_cc
