#include "castor_cc/ir_parameters.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "castor_cc/ir_types.h"

namespace castor::castor_cc {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr unsigned kMostElements = 256;

/// Member of a structure whose type is replaced by another type of the same layout.
struct Member {
  std::string was;
  std::string now;
};
using Members = std::map<std::size_t, Member>;  // by index in the structure

/// Returns the width of an integer type such as "i56"; 0 for any other type.
unsigned integer_bits(std::string_view type) {
  unsigned bits = 0;
  if (type.size() < 2 || type[0] != 'i') return 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return error == std::errc() && end == type.data() + type.size() ? bits : 0;
}

/// Array type "[7 x type]".
struct Array {
  unsigned count = 0;
  std::string_view element;
};
std::optional<Array> array(std::string_view type) {
  if (type.empty() || type[0] != '[') return std::nullopt;
  const std::size_t by = type.find(" x ");
  Array found;
  if (by == kNowhere) return std::nullopt;
  std::from_chars(type.data() + 1, type.data() + by, found.count);
  found.element = type.substr(by + 3, type.size() - by - 4);
  return found;
}

/// Returns the text between the braces of "{ ... }" or "<{ ... }>".
std::optional<std::string_view> structure(std::string_view type) {
  const std::size_t bracket = begins_with(type, "<{") ? 2 : begins_with(type, "{") ? 1 : 0;
  if (bracket == 0 || type.size() < 2 * bracket) return std::nullopt;
  return type.substr(bracket, type.size() - 2 * bracket);
}

/// Rewriting of one module.
class Plain {
 public:
  explicit Plain(std::string_view ir) : ir_(ir) {}

  std::string rewrite() {
    for_each_line(ir_, [this](std::string_view line) { read(line); });
    while (!open_.empty()) visit(*open_.begin());
    if (!changed_.empty()) for_each_line(ir_, [this](std::string_view line) { keep_written_out(line); });
    if (changed_.empty()) return std::string(ir_);
    for_each_line(ir_, [this](std::string_view line) { write(line); });
    return std::move(out_);
  }

 private:
  /// Reads type definitions, and finds the types that are passed by value.
  void read(std::string_view line) {
    constexpr std::string_view kType = " = type ";
    const std::size_t type = line.find(kType);
    if (begins_with(line, "%") && type != kNowhere && type == name_length(line))
      types_[line.substr(0, type)] = line.substr(type + kType.size());
    for (const std::string_view before : {"byval(", "  ret ", " extractvalue "}) {
      for (std::size_t at = line.find(before); at != kNowhere; at = line.find(before, at + 1)) {
        const std::string_view rest = line.substr(at + before.size());
        if (const std::size_t length = name_length(rest); length != 0) open_.insert(rest.substr(0, length));
      }
    }
  }

  void visit(std::string_view name) {
    open_.erase(name);
    if (!seen_.insert(name).second) return;
    const auto found = types_.find(name);
    const auto body = found == types_.end() ? std::nullopt : structure(found->second);
    if (!body) return;
    Members members;
    const std::vector<std::string_view> parts = split_operands(*body);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string_view part = parts[i].substr(0, type_length(parts[i]));
      std::string now = plain(part);
      if (now != part) members[i] = {std::string(part), std::move(now)};
    }
    if (!members.empty()) changed_[name] = std::move(members);
  }

  /// Returns the replacement for `type`. Named structures are put on the list of types to visit.
  std::string plain(std::string_view type) {
    if (!type.empty() && type[0] == '%' && name_length(type) == type.size()) {
      open_.insert(type);
      return std::string(type);
    }
    if (const unsigned bits = integer_bits(type); bits > 16 && bits <= 128) {
      unsigned whole = 32;
      while (whole < bits) whole *= 2;
      return "i" + std::to_string(whole);
    }
    if (const std::optional<Array> found = array(type)) {
      const std::string element = plain(found->element);
      if (!has_128_bits(found->element) || found->count == 0 || found->count > kMostElements)
        return "[" + std::to_string(found->count) + " x " + element + "]";
      std::string all = "{ " + element;
      for (unsigned i = 1; i < found->count; ++i) all += ", " + element;
      return all + " }";
    }
    return std::string(type);
  }

  [[nodiscard]] bool has_128_bits(std::string_view type) const {
    if (integer_bits(type) > 64) return true;
    if (const std::optional<Array> found = array(type)) return has_128_bits(found->element);
    const auto named = types_.find(type);
    const auto body = structure(named == types_.end() ? type : named->second);
    if (!body) return false;
    for (const std::string_view part : split_operands(*body)) {
      if (has_128_bits(part.substr(0, type_length(part)))) return true;
    }
    return false;
  }

  /// Removes types from the list of changes if a line uses them in a way that cannot be rewritten.
  void keep_written_out(std::string_view line) {
    for (auto at = changed_.begin(); at != changed_.end();) {
      const std::string name(at->first);
      const bool constant =
          begins_with(line, "@") && (line.find(name + " {") != kNowhere || line.find(name + " <{") != kNowhere);
      const bool inside = line.find("(" + name + ", " + name) != kNowhere;
      const std::optional<Access> access = member_access(line);
      const bool deeper = access && access->type == name && access->deeper;
      at = constant || inside || deeper ? changed_.erase(at) : std::next(at);
    }
  }

  /// Access to a structure member: "  %r = getelementptr inbounds %T, %T* %p, i32 0, i32 K" or "  %r = extractvalue %T
  /// %v, K".
  struct Access {
    std::string_view result;
    std::string_view type;
    std::size_t index = 0;
    bool pointer = false;
    bool deeper = false;    ///< the access continues into the member
    std::string_view tail;  ///< metadata at the end of the line
  };
  static std::optional<Access> member_access(std::string_view line) {
    if (!begins_with(line, "  %")) return std::nullopt;
    Access access;
    access.result = line.substr(2, name_length(line.substr(2)));
    std::string_view rest = line.substr(2 + access.result.size());
    for (const std::string_view head : {" = getelementptr inbounds ", " = getelementptr ", " = extractvalue "}) {
      if (!begins_with(rest, head)) continue;
      access.pointer = head[3] == 'g';
      rest.remove_prefix(head.size());
      access.type = rest.substr(0, name_length(rest));
      std::vector<std::string_view> parts = split_operands(rest);
      const std::size_t at = access.pointer ? 3 : 1;
      if (access.type.empty() || parts.size() <= at) return std::nullopt;
      access.deeper = parts.size() > at + 1 && parts[at + 1][0] != '!';
      if (parts.size() > at + 1 && !access.deeper)
        access.tail = line.substr(static_cast<std::size_t>(parts[at + 1].data() - line.data()) - 2);
      std::string_view index = parts[at];
      if (access.pointer && begins_with(index, "i32 ")) index.remove_prefix(4);
      const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), access.index);
      if (error != std::errc()) return std::nullopt;
      return access;
    }
    return std::nullopt;
  }

  void write(std::string_view line) {
    if (!write_type(line) && !write_access(line) && !write_store(line)) out_.append(line).append("\n");
  }

  bool write_type(std::string_view line) {
    const auto found = begins_with(line, "%") ? changed_.find(line.substr(0, name_length(line))) : changed_.end();
    if (found == changed_.end()) return false;
    const std::string_view body = types_.at(found->first);
    const bool packed = begins_with(body, "<");
    out_.append(found->first).append(packed ? " = type <{ " : " = type { ");
    const std::vector<std::string_view> parts = split_operands(*structure(body));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto member = found->second.find(i);
      out_.append(i == 0 ? "" : ", ");
      out_.append(member == found->second.end() ? parts[i].substr(0, type_length(parts[i])) : member->second.now);
    }
    out_.append(packed ? " }>\n" : " }\n");
    return true;
  }

  bool write_access(std::string_view line) {
    const std::optional<Access> access = member_access(line);
    if (!access) return false;
    const auto type = changed_.find(access->type);
    if (type == changed_.end()) return false;
    const auto member = type->second.find(access->index);
    if (member == type->second.end()) return false;
    const auto& [was, now] = member->second;
    if (!access->pointer) {
      values_[access->result] = &member->second;
      return false;
    }
    const std::string fresh = "%castor.member." + std::to_string(fresh_++);
    out_.append("  ").append(fresh).append(line.substr(2 + access->result.size())).append("\n");
    out_.append("  ").append(access->result).append(" = bitcast " + now + "* " + fresh + " to " + was + "*");
    out_.append(access->tail).append("\n");
    return true;
  }

  /// Rewrites the store of a result's member, whose type has changed.
  bool write_store(std::string_view line) {
    constexpr std::string_view kStore = "  store ";
    if (begins_with(line, "define ")) values_.clear();
    if (values_.empty() || !begins_with(line, kStore)) return false;
    const std::vector<std::string_view> parts = split_operands(line.substr(kStore.size()));
    const std::size_t value = type_length(parts[0]);
    if (parts.size() < 2 || value == 0 || value + 1 >= parts[0].size()) return false;
    const auto found = values_.find(parts[0].substr(value + 1));
    if (found == values_.end() || found->second->was != parts[0].substr(0, value)) return false;
    const std::string& now = found->second->now;
    const std::string_view address = parts[1].substr(type_length(parts[1]) + 1);
    const std::string fresh = "%castor.member." + std::to_string(fresh_++);
    out_.append("  " + fresh + " = bitcast ").append(parts[1]).append(" to " + now + "*\n");
    const std::size_t behind = static_cast<std::size_t>(address.data() - line.data()) + address.size();
    out_.append(kStore).append(now + " ").append(found->first).append(", " + now + "* " + fresh);
    out_.append(line.substr(behind)).append("\n");
    return true;
  }

  std::string_view ir_;
  std::map<std::string_view, std::string_view> types_;  // name and body
  std::set<std::string_view> open_;                     // structures passed by value that are still to be visited
  std::set<std::string_view> seen_;
  std::map<std::string_view, Members> changed_;
  std::map<std::string_view, const Member*> values_;  // per function: extracted members of call results
  std::size_t fresh_ = 0;
  std::string out_;
};

}  // namespace

std::string plain_parameters(std::string_view ir) { return Plain(ir).rewrite(); }

}  // namespace castor::castor_cc
