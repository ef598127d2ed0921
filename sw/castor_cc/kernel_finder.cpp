#include "castor_cc/kernel_finder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace castor::castor_cc {
namespace {

/// Range of tokens [first, last).
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Splits a range at its top-level commas; commas in brackets, including template brackets, do not count.
std::vector<Range> list_of(const SourceTokens& tokens, Range in) {
  std::vector<Range> items;
  if (in.first == in.last) return items;
  std::size_t first = in.first;
  for (std::size_t i = in.first; i < in.last; ++i) {
    std::size_t behind = kNoToken;
    if (tokens.is(i, "(") || tokens.is(i, "[") || tokens.is(i, "{")) behind = tokens.closing(i) + 1;
    if (tokens.is(i, "<")) behind = tokens.behind_template_arguments(i);
    if (behind != kNoToken) i = std::min(behind, in.last) - 1;
    if (tokens.is(i, ",")) {
      items.push_back({first, i});
      first = i + 1;
    }
  }
  items.push_back({first, in.last});
  return items;
}

/// Returns the position of the `=` of a parameter's default argument; the parameter's end if there is no default.
std::size_t default_of(const SourceTokens& tokens, Range parameter) {
  for (std::size_t i = parameter.first; i < parameter.last; ++i) {
    if (tokens.is(i, "=")) return i;
    std::size_t behind = kNoToken;
    if (tokens.is(i, "(") || tokens.is(i, "[")) behind = tokens.closing(i) + 1;
    if (tokens.is(i, "<")) behind = tokens.behind_template_arguments(i);
    if (behind != kNoToken) i = behind - 1;
  }
  return parameter.last;
}

bool is_type_word(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kWords = {
      "class", "typename", "int", "unsigned", "signed", "long", "short", "char", "bool", "auto", "float", "double"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// Parameters of a template: the list of parameters with names, their defaults, and the names as template arguments.
struct TemplateHead {
  std::vector<std::string> named;
  std::vector<std::string> defaults;  ///< per parameter: its default "= ...", or empty
  std::vector<std::string> arguments;
  bool pack = false;
};

TemplateHead template_head(const SourceTokens& tokens, Range in) {
  TemplateHead head;
  for (const Range& item : list_of(tokens, in)) {
    const std::size_t end = default_of(tokens, item);
    std::string text = tokens.joined(item.first, end);
    const bool pack = text.find("...") != std::string::npos;
    std::string name(tokens.word(end - 1));
    // A parameter of a single word is a type without a name. A parameter that ends in a bracket or sign has no name
    // either.
    const std::size_t words = end - item.first - (pack ? 3 : 0);
    if (words < 2 || !tokens.is_word(end - 1) || is_type_word(name)) {
      name = "castor_" + std::to_string(head.named.size());
      text += " " + name;
    }
    head.named.push_back(std::move(text));
    head.defaults.push_back(end == item.last ? std::string() : " " + tokens.joined(end, item.last));
    head.arguments.push_back(pack ? name + "..." : name);
    head.pack = head.pack || pack;
  }
  return head;
}

std::string listed(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

/// Returns the parameters of a function, without default arguments.
std::string parameters_of(const SourceTokens& tokens, Range in) {
  std::vector<std::string> parameters;
  for (const Range& item : list_of(tokens, in))
    parameters.push_back(tokens.joined(item.first, default_of(tokens, item)));
  return listed(parameters);
}

std::vector<std::pair<std::size_t, std::size_t>> defaults_of(const SourceTokens& tokens, Range in) {
  std::vector<std::pair<std::size_t, std::size_t>> defaults;
  for (const Range& item : list_of(tokens, in)) {
    const std::size_t begin = default_of(tokens, item);
    if (begin != item.last) defaults.emplace_back(begin, item.last);
  }
  return defaults;
}

/// Returns the first token of the declaration that contains token `name`.
std::size_t declaration_begin(const SourceTokens& tokens, std::size_t name) {
  std::size_t begin = name;
  while (begin > 0) {
    const std::size_t before = begin - 1;
    if (tokens.is(before, ";") || tokens.is(before, "{") || tokens.is(before, "}") || tokens.is_directive_end(before))
      break;
    begin = before;
  }
  return begin;
}

bool names(const SourceTokens& tokens, Range in, std::string_view word) {
  for (std::size_t i = in.first; i < in.last; ++i) {
    if (tokens.is(i, word)) return true;
  }
  return false;
}

}  // namespace

std::optional<KernelFinder> kernel_finder(const SourceTokens& tokens, std::size_t name) {
  if (!tokens.is_word(name) || !tokens.is(name + 1, "(")) return std::nullopt;
  const std::size_t close = tokens.closing(name + 1);
  const std::size_t begin = declaration_begin(tokens, name);
  if (close == kNoToken || !names(tokens, {begin, name}, "__global__")) return std::nullopt;
  KernelFinder finder;
  finder.name = tokens.word(name);
  finder.begin = begin;
  const std::string parameters = parameters_of(tokens, {name + 2, close});
  std::string kernel = finder.name;
  std::size_t specifiers = begin;
  std::string open_head;
  std::string whole_head;
  if (tokens.is(begin, "template")) {
    specifiers = tokens.is(begin + 1, "<") ? tokens.behind_template_arguments(begin + 1) : kNoToken;
    if (specifiers == kNoToken || specifiers >= name || tokens.is(specifiers, "template")) return std::nullopt;
    TemplateHead head = template_head(tokens, {begin + 2, specifiers - 1});
    open_head = "template <" + listed(head.named) + "> ";
    for (std::size_t i = 0; i < head.named.size(); ++i) head.named[i] += head.defaults[i];
    whole_head = "template <" + listed(head.named) + "> ";
    kernel += "<" + listed(head.arguments) + ">";
    finder.template_count = head.pack ? 0 : head.named.size();
  }
  finder.defaults = defaults_of(tokens, {name + 2, close});
  finder.text = open_head + tokens.joined(specifiers, close + 1) + "; " + whole_head +
                "__host__ __device__ ::castor::launch_detail::Found<void (*)(" + parameters + "), &" + kernel + "> " +
                kFinderPrefix + finder.name + "(" + parameters + "); ";
  return finder;
}

}  // namespace castor::castor_cc
