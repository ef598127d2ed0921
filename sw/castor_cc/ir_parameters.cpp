#include "castor_cc/ir_parameters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "castor_cc/ir_types.h"

namespace castor::castor_cc {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::string_view kByValue = "byval(";
constexpr std::string_view kCopy = "void @llvm.memcpy.p0i8.p0i8.i64(";

/// True if the back end cannot pass a structure of this layout.
bool is_refused(const TypeLayout& layout) {
  return layout.wide_elements || layout.odd ||
         std::any_of(layout.leaves.begin(), layout.leaves.end(), [&](const TypeLayout::Leaf& leaf) {
           return leaf.size > layout.align || leaf.offset % leaf.size != 0;
         });
}

/// Type of the same size that the back end can return. Each member has bytes of one member of the structure, since a
/// byte without a value would take the value of those beside it along. Padding is passed byte by byte.
std::string returnable(const TypeLayout& layout) {
  std::string type;
  std::uint64_t at = 0;
  const auto add = [&](const std::string& member) { type.append(type.empty() ? "{ " : ", ").append(member); };
  const auto pad = [&](std::uint64_t end) {
    if (at < end) add("[" + std::to_string(end - at) + " x i8]");
    at = end;
  };
  for (const TypeLayout::Leaf& leaf : layout.leaves) {
    pad(leaf.offset);
    for (const std::uint64_t end = leaf.offset + leaf.size; at < end;) {
      std::uint64_t size = layout.align;
      while (at % size != 0 || size > std::min<std::uint64_t>(end - at, 8)) size /= 2;
      add(leaf.pointer && size == 8 ? "i8*" : "i" + std::to_string(8 * size));
      at += size;
    }
  }
  pad(layout.size);
  return type + " }";
}

/// Structure that the back end cannot pass.
struct Refused {
  std::uint64_t size = 0;
  std::uint64_t align = 1;
  std::string result;  ///< type that functions return instead
};

/// Call of a function in a line, cut.
struct Call {
  std::string_view head;    ///< up to the result's type, without it
  std::string_view result;  ///< type
  std::string_view callee;
  std::vector<std::string_view> arguments;
  std::string_view tail;  ///< from the closing bracket
};

/// Returns the length of the name of a function at the begin of `text`; 0 if there is none.
std::size_t callee_length(std::string_view text) {
  if (begins_with(text, "%")) return name_length(text);
  if (!begins_with(text, "@")) return 0;
  return begins_with(text, "@\"") ? behind_string(text, 1) : std::min(text.find('('), text.size());
}

std::optional<Call> call_in(std::string_view line) {
  static constexpr std::string_view kCall = "call ";
  if (!begins_with(line, "  ") || line.find(kCall) == kNowhere) return std::nullopt;
  for (std::size_t at = line.find(kCall) + kCall.size(); at < line.size();) {
    const std::string_view rest = line.substr(at);
    const std::size_t type = type_length(rest);
    const std::size_t callee = type < rest.size() ? callee_length(rest.substr(type + 1)) : 0;
    const std::size_t open = at + type + 1 + callee;
    if (type != 0 && callee != 0 && open < line.size() && line[open] == '(') {
      Call call{line.substr(0, at), rest.substr(0, type), rest.substr(type + 1, callee), {}, {}};
      call.arguments = split_operands(line.substr(open + 1));
      const std::string_view last = call.arguments.back();
      call.tail = line.substr(static_cast<std::size_t>(last.data() + last.size() - line.data()));
      return call;
    }
    at = std::min(rest.find(' '), rest.size()) + at + 1;  // a flag, or an attribute of the result
  }
  return std::nullopt;
}

/// Rewriting of one module.
class Plain {
 public:
  explicit Plain(std::string_view ir) : ir_(ir), types_(ir, std::numeric_limits<std::uint64_t>::max()) {}

  std::string rewrite() {
    for_each_line(ir_, [this](std::string_view line) { read(line); });
    if (refused_.empty()) return std::string(ir_);
    kernels_ = kernel_names(ir_);
    for_each_line(ir_, [this](std::string_view line) { write(line); });
    if (copies_ && ir_.find("declare " + std::string(kCopy)) == kNowhere)
      out_.append("declare ").append(kCopy).append("i8*, i8*, i64, i1)\n");
    return std::move(out_);
  }

 private:
  /// Finds the types that are passed by value.
  void read(std::string_view line) {
    for (std::size_t at = line.find(kByValue); at != kNowhere; at = line.find(kByValue, at + 1))
      look_at(line.substr(at + kByValue.size()));
    if (begins_with(line, "  ret ")) look_at(line.substr(6));
    if (const std::optional<Call> call = call_in(line)) look_at(call->result);
  }

  /// Looks at the type that `text` begins with.
  void look_at(std::string_view text) {
    const std::string_view name = text.substr(0, name_length(text));
    if (name.empty() || !seen_.insert(name).second) return;
    const std::optional<TypeLayout> layout = types_.layout(name);
    if (layout && is_refused(*layout)) refused_[name] = {layout->size, layout->align, returnable(*layout)};
  }

  void write(std::string_view line) {
    const std::string typed = with_function_types(line);
    line = typed;
    const bool begins = begins_with(line, "define ");
    if (begins) in_kernel_ = kernels_.count(function_name(line)) != 0;
    if (begins || begins_with(line, "declare ")) {
      write_head(line, begins && in_kernel_);
    } else if (!write_return(line) && !write_call(line)) {
      if (line == "}") {
        out_.insert(entry_, variables_);
        variables_.clear();
      }
      out_.append(line).append("\n");
    }
    const bool label = entry_ + line.size() + 1 == out_.size() && !line.empty() && line.back() == ':';
    if (begins || label) entry_ = out_.size();  // the first block may have a label
  }

  static std::string_view function_name(std::string_view line) {
    const std::size_t at = std::min(line.find(" @") + 1, line.size());
    return line.substr(at, callee_length(line.substr(at)));
  }

  /// Replaces the results of function types: "%struct.P (i32)*".
  [[nodiscard]] std::string with_function_types(std::string_view line) const {
    std::string text(line);
    for (const auto& [name, how] : refused_) {
      const std::string type = std::string(name) + " (";
      for (std::size_t at = text.find(type); at != std::string::npos; at = text.find(type, at + how.result.size()))
        text.replace(at, name.size(), how.result);
    }
    return text;
  }

  /// Returns an argument or parameter without the attribute that passes a refused structure by value; nothing if it has
  /// none.
  [[nodiscard]] std::optional<std::string> by_address(std::string_view argument) const {
    const std::size_t at = argument.find(kByValue);
    if (at == kNowhere) return std::nullopt;
    const std::string_view type = argument.substr(at + kByValue.size());
    const std::size_t length = name_length(type);
    if (refused_.count(type.substr(0, length)) == 0) return std::nullopt;
    return std::string(argument.substr(0, at)).append(type.substr(length + 2));  // behind the bracket and a blank
  }

  /// Writes the first line of a definition, or a declaration.
  void write_head(std::string_view line, bool kernel) {
    const std::size_t at = line.find(" @");
    const std::string_view name = function_name(line);
    std::string_view before = line.substr(0, at);
    const auto result = refused_.find(before.substr(before.rfind(" %") + 1));
    if (result != refused_.end()) before.remove_suffix(result->first.size());
    out_.append(before).append(result != refused_.end() ? result->second.result : "").append(" ").append(name);
    std::string_view rest = line.substr(at + 1 + name.size());
    while (!kernel && !rest.empty()) {
      const std::size_t next = std::min(rest.find(kByValue, kByValue.size()), rest.size());
      out_.append(by_address(rest.substr(0, next)).value_or(std::string(rest.substr(0, next))));
      rest.remove_prefix(next);
    }
    out_.append(rest).append("\n");
  }

  std::string fresh() { return "%castor.value." + std::to_string(fresh_++); }

  /// Adds a variable of a refused type to this function. Returns its name.
  std::string variable(std::string_view type, const Refused& how) {
    const std::string name = fresh();
    variables_.append("  " + name + " = alloca ").append(type).append(", align " + std::to_string(how.align) + "\n");
    return name;
  }

  /// Writes the conversion of `value` from one type to the other of a refused structure, through memory. `result`: the
  /// value afterwards.
  void convert(std::string_view type, const Refused& how, std::string_view value, bool to_result,
               std::string_view result) {
    const std::string memory = variable(type, how), view = fresh(), align = ", align " + std::to_string(how.align);
    const std::string own = std::string(type) + "* " + memory, other = how.result + "* " + view;
    out_.append("  " + view + " = bitcast " + own + " to " + how.result + "*\n  store ");
    out_.append(to_result ? type : how.result).append(" ").append(value).append(", ");
    out_.append(to_result ? own : other).append(align + "\n  ").append(result).append(" = load ");
    out_.append(to_result ? how.result : type).append(", ").append(to_result ? other : own).append(align + "\n");
  }

  bool write_return(std::string_view line) {
    static constexpr std::string_view kReturn = "  ret ";
    if (!begins_with(line, kReturn)) return false;
    line.remove_prefix(kReturn.size());
    const auto found = refused_.find(line.substr(0, name_length(line)));
    if (found == refused_.end()) return false;
    const std::string_view value = line.substr(found->first.size() + 1);
    const std::string_view name = value.substr(0, value.find(','));
    const std::string result = fresh();
    convert(found->first, found->second, name, true, result);
    out_.append(kReturn).append(found->second.result + " " + result).append(value.substr(name.size())).append("\n");
    return true;
  }

  bool write_call(std::string_view line) {
    const std::optional<Call> call = call_in(line);
    if (!call) return false;
    const auto result = refused_.find(call->result);
    std::string arguments;
    bool changed = result != refused_.end();
    for (const std::string_view argument : call->arguments) {
      const std::optional<std::string> copied = copy(argument);
      changed = changed || copied;
      arguments.append(arguments.empty() ? "" : ", ").append(copied ? std::string_view(*copied) : argument);
    }
    if (!changed) return false;
    if (result == refused_.end()) {
      out_.append(call->head).append(call->result).append(" ").append(call->callee).append("(").append(arguments);
      out_.append(call->tail).append("\n");
      return true;
    }
    const std::string_view name = call->head.substr(2, name_length(call->head.substr(2)));
    const std::string returned = fresh();
    out_.append("  " + returned).append(call->head.substr(2 + name.size())).append(result->second.result + " ");
    out_.append(call->callee).append("(").append(arguments).append(call->tail).append("\n");
    convert(result->first, result->second, returned, false, name);
    return true;
  }

  /// Writes the copy of an argument that is a refused structure. Returns the argument that passes the copy's address.
  std::optional<std::string> copy(std::string_view argument) {
    static constexpr std::string_view kAlign = "align ";
    std::optional<std::string> passed = by_address(argument);
    if (!passed) return std::nullopt;
    const std::string_view type = argument.substr(0, name_length(argument));
    const Refused& how = refused_.at(type);
    const std::size_t align = passed->find(kAlign) + kAlign.size();
    const std::size_t value = passed->find(' ', align) + 1;
    const std::string memory = variable(type, how), to = fresh(), from = fresh(), pointer = std::string(type) + "* ";
    out_.append("  " + to + " = bitcast " + pointer + memory + " to i8*\n  " + from + " = bitcast " + pointer);
    out_.append(passed->substr(value)).append(" to i8*\n  call ").append(kCopy);
    out_.append("i8* align " + std::to_string(how.align) + " " + to + ", i8* ");
    out_.append(passed->substr(align - kAlign.size(), value - align + kAlign.size()) + from);
    out_.append(", i64 " + std::to_string(how.size) + ", i1 false)\n");
    copies_ = true;
    return passed->substr(0, value) + memory;
  }

  std::string_view ir_;
  TypeTable types_;
  std::set<std::string_view> seen_;
  std::map<std::string_view, Refused> refused_;  // by name of the type
  std::set<std::string_view> kernels_;
  bool in_kernel_ = false;
  bool copies_ = false;
  std::size_t entry_ = 0;  // where variables of this function go
  std::string variables_;
  std::size_t fresh_ = 0;
  std::string out_;
};

}  // namespace

std::string plain_parameters(std::string_view ir) { return Plain(ir).rewrite(); }

}  // namespace castor::castor_cc
