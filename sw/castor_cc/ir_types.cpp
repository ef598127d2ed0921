#include "castor_cc/ir_types.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace castor::castor_cc {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns the length up to and including the bracket that closes the first bracket; 0 if no bracket does. Quoted names
/// may contain brackets.
std::size_t balanced(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (depth == 0) return i + 1;
  }
  return 0;
}

/// Returns the length of a type at the begin of `text`, without any "*" that makes a pointer of it.
std::size_t pointee_length(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '%') return name_length(text);
  if (text[0] == '[' || text[0] == '{' || text[0] == '<') return balanced(text);
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_word) - text.begin());
}

/// Returns the width of an integer type such as "i56"; 0 for any other type.
unsigned integer_bits(std::string_view type) {
  unsigned bits = 0;
  if (!begins_with(type, "i")) return 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return error == std::errc() && end == type.data() + type.size() ? bits : 0;
}

std::optional<TypeLayout> number(std::string_view type) {
  static constexpr unsigned kWidest = 128;
  unsigned bits = integer_bits(type);
  if (type == "half" || type == "bfloat") bits = 16;
  if (type == "float") bits = 32;
  if (type == "double") bits = 64;
  if (bits == 0 || bits > kWidest) return std::nullopt;
  const std::uint64_t stored = (bits + 7) / 8;
  TypeLayout layout;
  while (layout.size < stored) layout.size = std::max<std::uint64_t>(1, 2 * layout.size);
  layout.align = layout.size;
  layout.odd = layout.size != stored;
  layout.wide = stored > 8;
  for (std::uint64_t at = 0; at < stored; at += 8)
    layout.leaves.push_back({at, std::min<std::uint64_t>(stored - at, 8)});
  return layout;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t align) { return (value + align - 1) / align * align; }

/// Adds the values of `part`, which is at `offset` of `whole`, below `most_bytes`.
void add(TypeLayout& whole, const TypeLayout& part, std::uint64_t offset, std::uint64_t most_bytes) {
  whole.odd = whole.odd || part.odd;
  whole.wide = whole.wide || part.wide;
  whole.wide_elements = whole.wide_elements || part.wide_elements;
  for (const TypeLayout::Leaf& leaf : part.leaves)
    if (offset + leaf.offset < most_bytes) whole.leaves.push_back({offset + leaf.offset, leaf.size, leaf.pointer});
}

}  // namespace

std::size_t behind_string(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('"', at + 1);
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    std::string_view part = text.substr(begin, end - begin);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    parts.push_back(part);
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') i = behind_string(text, i) - 1;
    if (c == '(' || c == '{' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == '}' || c == ']' || c == '>') --depth;
    if (depth < 0) {
      add(i);
      return parts;
    }
    if (depth == 0 && c == ',') add(i);
  }
  add(text.size());
  return parts;
}

std::size_t name_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '%') return 0;
  if (text[1] == '"') {
    const std::size_t end = text.find('"', 2);
    return end == std::string_view::npos ? 0 : end + 1;
  }
  const auto ends = [](char c) { return !is_word(c) && c != '.' && c != '$' && c != '-'; };
  return static_cast<std::size_t>(std::find_if(text.begin() + 1, text.end(), ends) - text.begin());
}

std::size_t type_length(std::string_view text) {
  std::size_t length = pointee_length(text);
  if (length == 0) return 0;
  for (;;) {
    const std::string_view rest = text.substr(length);
    if (begins_with(rest, "*")) {
      ++length;
    } else if (begins_with(rest, " addrspace(")) {
      length += rest.find(')') + 1;
    } else if (begins_with(rest, " (")) {
      length += 1 + balanced(rest.substr(1));
    } else {
      return length;
    }
  }
}

std::set<std::string_view> kernel_names(std::string_view ir) {
  std::set<std::string_view> names;
  for_each_line(ir, [&](std::string_view line) {
    if (!begins_with(line, "!") || line.find(", !\"kernel\", i32 1}") == std::string_view::npos) return;
    const std::size_t at = line.find('@');
    const std::size_t end = line.find(',', at);
    if (at != std::string_view::npos && end != std::string_view::npos) names.insert(line.substr(at, end - at));
  });
  return names;
}

TypeTable::TypeTable(std::string_view ir, std::uint64_t most_bytes) : most_bytes_(most_bytes) {
  static constexpr std::string_view kIs = " = type ";
  while (!ir.empty()) {
    const std::string_view line = ir.substr(0, ir.find('\n'));
    ir.remove_prefix(std::min(ir.size(), line.size() + 1));
    if (!begins_with(line, "%")) continue;
    const std::size_t name = name_length(line);
    if (begins_with(line.substr(name), kIs)) named_.emplace(line.substr(0, name), line.substr(name + kIs.size()));
  }
}

std::optional<TypeLayout> TypeTable::layout(std::string_view type) const { return layout(type, 0); }

std::optional<TypeLayout> TypeTable::layout(std::string_view type, unsigned depth) const {
  static constexpr unsigned kDeepest = 64;
  if (type.empty() || depth > kDeepest) return std::nullopt;
  if (type.back() == '*') return TypeLayout{8, 8, {{0, 8, true}}};
  if (type[0] == '%') {
    const auto found = named_.find(type);
    return found == named_.end() ? std::nullopt : layout(found->second, depth + 1);
  }
  if (type[0] == '[') return sequence(type.substr(1, type.size() - 2), false, depth);
  if (begins_with(type, "<{")) return structure(type.substr(2, type.size() - 4), true, depth);
  if (type[0] == '<') return sequence(type.substr(1, type.size() - 2), true, depth);
  if (type[0] == '{') return structure(type.substr(1, type.size() - 2), false, depth);
  return number(type);
}

std::optional<TypeLayout> TypeTable::structure(std::string_view members, bool packed, unsigned depth) const {
  TypeLayout whole;
  while (!members.empty()) {
    if (members[0] == ' ' || members[0] == ',') {
      members.remove_prefix(1);
      continue;
    }
    const std::size_t length = type_length(members);
    const std::optional<TypeLayout> member = layout(members.substr(0, length), depth + 1);
    if (!member) return std::nullopt;
    members.remove_prefix(length);
    const std::uint64_t align = packed ? 1 : member->align;
    const std::uint64_t offset = rounded_up(whole.size, align);
    add(whole, *member, offset, most_bytes_);
    whole.size = offset + member->size;
    whole.align = std::max(whole.align, align);
  }
  whole.size = rounded_up(whole.size, whole.align);
  return whole;
}

std::optional<TypeLayout> TypeTable::sequence(std::string_view body, bool vector, unsigned depth) const {
  static constexpr std::string_view kTimes = " x ";
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), count);
  const std::string_view rest = body.substr(static_cast<std::size_t>(end - body.data()));
  if (error != std::errc() || !begins_with(rest, kTimes)) return std::nullopt;
  const std::optional<TypeLayout> element = layout(rest.substr(kTimes.size()), depth + 1);
  if (!element) return std::nullopt;
  TypeLayout whole;
  whole.size = count * element->size;
  whole.align = element->align;
  for (std::uint64_t i = 0; i < count && i * element->size < most_bytes_ && element->size != 0; ++i)
    add(whole, *element, i * element->size, most_bytes_);
  whole.wide_elements = whole.wide_elements || element->wide;
  if (vector) {
    while (whole.align < whole.size) whole.align *= 2;
    whole.size = rounded_up(whole.size, whole.align);
  }
  return whole;
}

}  // namespace castor::castor_cc
