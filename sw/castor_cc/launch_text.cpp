#include "castor_cc/launch_text.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "castor_cc/kernel_finder.h"
#include "castor_cc/macro_text.h"
#include "castor_cc/source_tokens.h"

namespace castor::castor_cc {
namespace {

/// Returns the token that begins at a position; kNoToken if none does.
std::size_t token_at(const SourceTokens& tokens, const SourcePlace& place) {
  const std::string_view text = tokens.text();
  std::size_t begin = 0;
  for (std::size_t line = 1; line < place.line; ++line) {
    begin = text.find('\n', begin);
    if (begin == kNoToken) return kNoToken;
    ++begin;
  }
  const std::size_t offset = begin + place.column - 1;
  std::size_t low = 0;
  for (std::size_t high = tokens.size(); low < high;) {
    const std::size_t middle = (low + high) / 2;
    if (tokens[middle].begin < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < tokens.size() && tokens[low].begin == offset ? low : kNoToken;
}

/// True for a keyword after which an expression begins.
bool is_keyword(std::string_view word) {
  return word == "return" || word == "else" || word == "do" || word == "if" || word == "while" || word == "for" ||
         word == "switch" || word == "case";
}

/// Rewriter of the launches of one source text.
class LaunchRewriter {
 public:
  LaunchRewriter(std::string_view text, const LaunchContext& context) : tokens_(text), context_(context) {}

  std::optional<std::string> rewrite(const DeviceLaunches& places) {
    for (const MacroUse& use : places.macros) macro(use);
    for (const SourcePlace& place : places.kernels) declare_finder(token_at(tokens_, place));
    std::set<std::size_t> deduced;
    std::set<std::size_t> named;
    std::set<std::size_t> others;
    for (const SourcePlace& place : places.deduced) insert(deduced, opening_bracket(token_at(tokens_, place)));
    for (const SourcePlace& place : places.named) {
      const std::size_t name = token_at(tokens_, place);
      if (name == kNoToken) continue;
      const std::size_t behind = name_end(name);
      if (tokens_.is(behind, "<<<")) {
        insert(named, behind);
      } else if (behind != name && !argument_of_macro(name, place)) {
        value(behind);
      }
    }
    for (const SourcePlace& place : places.launches) insert(others, opening_bracket(token_at(tokens_, place)));
    for (const std::size_t i : deduced) deduced_launch(i);
    for (const std::size_t i : named) named_launch(i);
    for (const std::size_t i : others) {
      if (deduced.count(i) == 0 && named.count(i) == 0) pointer_launch(i);
    }
    return edited(tokens_.text(), std::move(edits_));
  }

 private:
  /// Adds an opening bracket to rewrite, unless it lies in a macro use that has been expanded: the expansion is
  /// rewritten in a later pass.
  void insert(std::set<std::size_t>& openings, std::size_t i) const {
    if (i != kNoToken && !in_macro(i)) openings.insert(i);
  }
  [[nodiscard]] bool in_macro(std::size_t i) const {
    return std::any_of(expanded_.begin(), expanded_.end(),
                       [i](const auto& use) { return use.first <= i && i <= use.second; });
  }

  void macro(const MacroUse& use) {
    const std::size_t at = token_at(tokens_, use.place);
    if (at == kNoToken || !tokens_.is(at, use.name) || in_macro(at)) return;
    if (tokens_.is(at + 1, "(")) {  // a launch that is an argument is rewritten at its own position
      const std::size_t close = tokens_.closing(at + 1);
      for (std::size_t i = at; i < tokens_.size() && i < close; ++i) {
        if (tokens_.is(i, "<<<")) return;
      }
    }
    static_cast<void>(expand(at, context_.read(use.file), use.line));
  }

  /// Replaces the macro use at token `at` by its expansion. Returns false if `definition` does not define the macro.
  bool expand(std::size_t at, const std::string& definition, std::size_t line) {
    std::size_t last = at;
    std::optional<std::string> text = expanded_macro(tokens_, at, definition, line, last);
    if (!text) return false;
    text->append(lines_of(at, last + 1));
    edits_.push_back({tokens_[at].begin, tokens_[last].end, std::move(*text)});
    expanded_.emplace_back(at, last);
    return true;
  }

  /// Expands the outermost macro that has a kernel's name among its arguments, since the macro may launch the kernel or
  /// use its name.
  bool argument_of_macro(std::size_t name, const SourcePlace& place) {
    if (in_macro(name)) return true;
    std::vector<std::size_t> calls;
    for (std::size_t i = name; i-- > 0;) {
      if (tokens_.is(i, ";") || tokens_.is(i, "{") || tokens_.is(i, "}") || tokens_.is_directive_end(i)) break;
      if (tokens_.is(i, "(") && i > 0 && tokens_.is_word(i - 1) && tokens_.closing(i) > name) calls.push_back(i - 1);
    }
    return std::any_of(calls.rbegin(), calls.rend(), [&](std::size_t at) {
      return expand(at, std::string(tokens_.text()), place.line) ||
             expand(at, context_.defining(tokens_.word(at)), kNoToken);
    });
  }

  void declare_finder(std::size_t name) {
    if (name == kNoToken) return;
    const std::optional<KernelFinder> finder = kernel_finder(tokens_, name);
    if (!finder || !finders_.insert(finder->begin).second) return;
    // An earlier pass may have declared this finder.
    if (on_line(finder->begin, kFinderPrefix + finder->name)) return;
    edits_.push_back({tokens_[finder->begin].begin, tokens_[finder->begin].begin, finder->text});
    for (const auto& [first, last] : finder->defaults)
      edits_.push_back({tokens_[first].begin, tokens_[last - 1].end, lines_of(first, last)});
  }
  /// True if `word` appears on the line of a token.
  [[nodiscard]] bool on_line(std::size_t token, std::string_view word) const {
    const std::string_view text = tokens_.text();
    const std::size_t before = tokens_[token].begin == 0 ? kNoToken : text.rfind('\n', tokens_[token].begin - 1);
    const std::size_t begin = before == kNoToken ? 0 : before;
    const std::string_view line = text.substr(begin, text.find('\n', tokens_[token].begin) - begin);
    return line.find(word) != kNoToken;
  }
  /// Returns the line breaks among tokens [first, last), which keep the line numbers unchanged.
  [[nodiscard]] std::string lines_of(std::size_t first, std::size_t last) const {
    const std::string text = text_of(first, last);
    return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
  }

  /// Returns the `<<<` at token `first`, or the next one in the same statement.
  [[nodiscard]] std::size_t opening_bracket(std::size_t first) const {
    for (std::size_t i = first; i < tokens_.size(); ++i) {
      if (tokens_.is(i, "<<<")) return i;
      if (tokens_.is(i, ";") || tokens_.is(i, "{") || tokens_.is(i, "}") || tokens_.is_directive_end(i)) break;
    }
    return kNoToken;
  }

  /// Returns the token after a name with scopes and template arguments.
  [[nodiscard]] std::size_t name_end(std::size_t i) const {
    for (;;) {
      if (tokens_.is_scope(i)) i += 2;
      if (!tokens_.is_word(i)) return i;
      ++i;
      if (tokens_.is(i, "<")) {
        const std::size_t behind = tokens_.behind_template_arguments(i);
        if (behind == kNoToken) return i;
        i = behind;
      }
      if (!tokens_.is_scope(i)) return i;
    }
  }

  /// Returns the `<` of the template arguments that end with the `>` at token `last`; kNoToken if there is none.
  [[nodiscard]] std::size_t template_arguments_begin(std::size_t last) const {
    int open = 0;
    for (std::size_t i = last + 1; i-- > 0;) {
      if (tokens_.is(i, ")") || tokens_.is(i, "]") || tokens_.is(i, "}")) {
        i = tokens_.opening(i);
        if (i == kNoToken) return kNoToken;
      } else if (tokens_.word(i).find('>') == 0) {
        open += static_cast<int>(tokens_.word(i).size());
      } else if (tokens_.is(i, "<") && --open == 0) {
        return i;
      }
    }
    return kNoToken;
  }

  /// Returns the first token of the name (with scopes and template arguments) that ends before token `end`; `end` if
  /// there is none. `last_name`: receives the last word of the name that is no template argument.
  [[nodiscard]] std::size_t name_before(std::size_t end, std::size_t* last_name = nullptr) const {
    std::size_t at = end;
    while (at > 0) {
      std::size_t name = at - 1;
      if (tokens_.word(name).find('>') == 0) {
        name = template_arguments_begin(name);
        if (name == kNoToken || name == 0) return end;
        --name;
      }
      if (!tokens_.is_word(name)) return at;
      if (at == end && last_name != nullptr) *last_name = name;
      at = name;
      if (at < 2 || !tokens_.is_scope(at - 2)) return at;
      at -= 2;  // a scope before the name, or the global scope
      const bool scoped = at > 0 && (tokens_.is_word(at - 1) || tokens_.word(at - 1).find('>') == 0);
      if (!scoped || is_keyword(tokens_.word(at - 1))) return at;
    }
    return at;
  }

  /// Returns the first token of the expression that the `<<<` at token `end` launches: a name, or an expression that
  /// yields a pointer.
  [[nodiscard]] std::size_t pointer_before(std::size_t end) const {
    std::size_t at = end;
    while (at > 0) {
      const std::size_t last = at - 1;
      const bool round = tokens_.is(last, ")");
      if (round || tokens_.is(last, "]")) {
        at = tokens_.opening(last);
        if (at == kNoToken) return end;
        if (at == 0) return at;
        const std::size_t before = at - 1;
        const bool called = (tokens_.is_word(before) && !is_keyword(tokens_.word(before))) || tokens_.is(before, "]") ||
                            tokens_.word(before).find('>') == 0 || (tokens_.is(before, ")") && !is_condition(before));
        if (round && !called) return at;
        continue;
      }
      const std::size_t name = name_before(at);
      if (name == at) return end;
      at = name;
      const bool arrow = at >= 2 && tokens_.is(at - 1, ">") && tokens_.is(at - 2, "-");
      if (!arrow && (at == 0 || !tokens_.is(at - 1, "."))) return at;
      at -= arrow ? 2 : 1;
    }
    return at;
  }
  /// True if the closing bracket at `close` ends a condition such as `if (...)`.
  [[nodiscard]] bool is_condition(std::size_t close) const {
    const std::size_t open = tokens_.opening(close);
    return open != kNoToken && open > 0 && is_keyword(tokens_.word(open - 1));
  }

  [[nodiscard]] std::string text_of(std::size_t first, std::size_t last) const {
    return std::string(tokens_.text().substr(tokens_[first].begin, tokens_[last - 1].end - tokens_[first].begin));
  }

  /// Replaces the tokens from `first` to the opening bracket `i` by `call`, and the launch's closing bracket by a round
  /// one.
  void replace_launch(std::size_t first, std::size_t i, std::string call) {
    const std::size_t closing = tokens_.launch_end(i);
    if (closing == kNoToken || first == i) return;
    edits_.push_back({tokens_[first].begin, tokens_[i].end, std::move(call)});
    edits_.push_back({tokens_[closing].begin, tokens_[closing].end, ")"});
  }

  /// Returns `function<kernel>`, or its replacement before C++17.
  [[nodiscard]] std::string with_kernel(const char* function, const std::string& kernel) const {
    return context_.older ? std::string("::castor::") + function + "_of<decltype(&" + kernel + "), &" + kernel + ">"
                          : std::string("::castor::") + function + "<" + kernel + ">";
  }

  void named_launch(std::size_t i) {
    const std::size_t first = name_before(i);
    if (first != i) replace_launch(first, i, with_kernel("launch", text_of(first, i)) + "(");
  }

  void deduced_launch(std::size_t i) {
    std::size_t name = i;
    const std::size_t first = name_before(i, &name);
    const std::size_t closing = tokens_.launch_end(i);
    if (first == i || closing == kNoToken) return;
    const auto found = context_.found.find(std::string(tokens_.word(name)));
    const std::size_t open = tokens_.is(closing, ">>") ? closing + 2 : closing + 1;
    const std::size_t close = tokens_.is(open, "(") ? tokens_.closing(open) : kNoToken;
    const bool complete = found != context_.found.end() && found->second == template_arguments(name);
    if (found == context_.found.end() || close == kNoToken || complete) return named_launch(i);
    const std::string finder =
        tokens_.joined(first, name) + kFinderPrefix + tokens_.joined(name, i) + tokens_.joined(open, close + 1);
    replace_launch(first, i, "::castor::launch_found<decltype(" + finder + ")>(");
  }

  /// Returns the number of template arguments after the name.
  [[nodiscard]] std::size_t template_arguments(std::size_t name) const {
    if (!tokens_.is(name + 1, "<")) return 0;
    const std::size_t behind = tokens_.behind_template_arguments(name + 1);
    std::size_t count = tokens_.is(name + 2, ">") ? 0 : 1;
    for (std::size_t i = name + 2; i + 1 < behind; ++i) {
      if (tokens_.is(i, "(") || tokens_.is(i, "[") || tokens_.is(i, "{")) i = tokens_.closing(i);
      if (tokens_.is(i, "<")) i = tokens_.behind_template_arguments(i) - 1;
      if (tokens_.is(i, ",")) ++count;
    }
    return count;
  }

  void pointer_launch(std::size_t i) {
    const std::size_t first = pointer_before(i);
    if (first != i) replace_launch(first, i, "::castor::launch_pointer(" + text_of(first, i) + ", ");
  }

  /// Rewrites a kernel's name that is used as a value and ends before token `end`.
  void value(std::size_t end) {
    std::size_t first = name_before(end);
    if (first == end || in_macro(first)) return;
    const std::string call = with_kernel("kernel", text_of(first, end)) + "()";
    const bool address = first > 0 && tokens_.is(first - 1, "&") && !(first > 1 && tokens_.is(first - 2, "&"));
    if (address) --first;
    edits_.push_back({tokens_[first].begin, tokens_[end - 1].end, call});
  }

  SourceTokens tokens_;
  const LaunchContext& context_;
  std::vector<Edit> edits_;
  std::vector<std::pair<std::size_t, std::size_t>> expanded_;  // expanded macro uses: first and last token
  std::set<std::size_t> finders_;
};

}  // namespace

void add_found_kernels(std::string_view text, const std::vector<SourcePlace>& kernels, FoundKernels& found) {
  if (kernels.empty()) return;
  const SourceTokens tokens(text);
  std::set<std::size_t> places;
  for (const SourcePlace& place : kernels) places.insert(token_at(tokens, place));
  for (const std::size_t place : places) {
    const std::optional<KernelFinder> finder = place == kNoToken ? std::nullopt : kernel_finder(tokens, place);
    if (!finder) continue;
    const std::size_t count = finder->template_count == 0 ? kManyArguments : finder->template_count;
    const auto [at, added] = found.emplace(finder->name, count);
    if (!added) at->second = kManyArguments;
  }
}

std::optional<std::string> rewrite_launches(std::string_view text, const DeviceLaunches& places,
                                            const LaunchContext& context) {
  return LaunchRewriter(text, context).rewrite(places);
}

}  // namespace castor::castor_cc
