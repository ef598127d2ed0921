#include "castor_cc/ir_copies.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "castor_cc/ir_types.h"

namespace castor::castor_cc {
namespace {

std::string_view line_of(std::string_view text) { return text.substr(0, text.find('\n')); }

std::optional<std::uint64_t> number_at(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// Returns the text between `before` and `after`; nothing if either is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + before.size());
  const std::size_t end = text.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(0, end);
}

/// Source or destination of a memcpy: "i8* align 16 %7", or a constant expression for an address known at link time.
struct Pointer {
  std::string_view value;
  std::uint64_t align = 0;
};

/// True if `text` begins with a pointer: a name, or a constant expression, whose operands follow in brackets after a
/// blank. An attribute has no blank there: "dereferenceable(16)".
bool begins_with_pointer(std::string_view text) {
  if (text.empty() || text[0] == '%' || text[0] == '@') return true;
  for (const std::string_view expression :
       {"bitcast (", "addrspacecast (", "getelementptr (", "getelementptr inbounds (", "inttoptr (", "select ("})
    if (begins_with(text, expression)) return true;
  return false;
}

std::optional<Pointer> pointer_argument(std::string_view text) {
  static constexpr std::string_view kType = "i8* ";
  static constexpr std::string_view kAlign = "align ";
  if (!begins_with(text, kType)) return std::nullopt;
  text.remove_prefix(kType.size());
  Pointer pointer;
  while (!begins_with_pointer(text)) {
    if (begins_with(text, kAlign)) pointer.align = number_at(text.substr(kAlign.size())).value_or(0);
    const std::size_t space = text.find(' ', begins_with(text, kAlign) ? kAlign.size() : 0);
    if (space == std::string_view::npos) return std::nullopt;
    text.remove_prefix(space + 1);
  }
  pointer.value = text;
  return pointer;
}

/// Storage to which a pointer refers.
enum class Place {
  kVariable,  ///< variable of this function, which may become registers
  kArgument,  ///< variable that holds an argument of a call
  kMemory,
  kUnknown
};

/// Definitions of the named values of one function, for following pointers to their origin.
class Definitions {
 public:
  void begin(bool kernel) {
    defined_.clear();
    passed_.clear();
    kernel_ = kernel;
  }
  /// Notes that variable `name` holds an argument of a call that is not inlined.
  void pass(std::string_view name) { passed_.insert(name); }
  void add(std::string_view line) {
    static constexpr std::string_view kIs = " = ";
    const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    const std::size_t name = name_length(text);
    if (name != 0 && begins_with(text.substr(name), kIs))
      defined_.emplace(text.substr(0, name), text.substr(name + kIs.size()));
  }

  /// Returns the pointee type of an i8* value before it was cast; empty if unknown.
  [[nodiscard]] std::string_view pointee(std::string_view value) const {
    std::string_view text = value;
    for (unsigned step = 0; step < kLongest; ++step) {
      if (begins_with(text, "%")) {
        const auto found = defined_.find(text.substr(0, name_length(text)));
        if (found == defined_.end()) return {};
        text = found->second;
      }
      const std::string_view cast = text.substr(0, text.find(' '));
      if (cast != "bitcast" && cast != "addrspacecast") return {};
      text.remove_prefix(cast.size() + 1);
      if (begins_with(text, "(")) text.remove_prefix(1);
      std::string_view type = text.substr(0, type_length(text));
      text.remove_prefix(std::min(type.size() + 1, text.size()));
      if (type.size() < 2 || type.back() != '*') return {};
      type.remove_suffix(1);
      if (type.back() == ')') type = type.substr(0, type.rfind(" addrspace("));
      if (type != "i8") return type;
    }
    return {};
  }

  [[nodiscard]] Place place(std::string_view value) const {
    bool indexed = false;
    for (unsigned step = 0; step < kLongest; ++step) {
      if (value.empty() || value[0] != '%') return Place::kMemory;
      const auto found = defined_.find(value);
      // A pointer that a kernel receives or loads refers to memory. In a device function it may refer to a variable of
      // the function into which the device function is inlined. An element with a run-time index is rarely part of such
      // a variable, so it counts as memory.
      const Place given = indexed || kernel_ ? Place::kMemory : Place::kUnknown;
      if (found == defined_.end()) return given;
      std::string_view text = found->second;
      if (begins_with(text, "alloca ")) return passed_.count(value) != 0 ? Place::kArgument : Place::kVariable;
      if (begins_with(text, "load ")) return given;
      const bool element = begins_with(text, "getelementptr ");
      if (!element && !begins_with(text, "bitcast ") && !begins_with(text, "addrspacecast "))
        return indexed ? Place::kMemory : Place::kUnknown;
      text.remove_prefix(text.find(' ') + 1);
      if (begins_with(text, "inbounds ")) text.remove_prefix(9);
      if (element) text.remove_prefix(std::min(type_length(text) + 2, text.size()));
      text.remove_prefix(std::min(type_length(text) + 1, text.size()));
      value = text.substr(0, name_length(text));
      if (element && text.substr(value.size()).find('%') != std::string_view::npos) indexed = true;
    }
    return Place::kUnknown;
  }

 private:
  static constexpr unsigned kLongest = 64;  ///< longest chain of casts and element addresses that is followed

  std::unordered_map<std::string_view, std::string_view> defined_;
  std::set<std::string_view> passed_;
  bool kernel_ = false;
};

/// Value that a copy moves, at an offset of the copied bytes.
struct Unit {
  const char* type = "i32";
  std::uint64_t offset = 0;
  std::uint64_t size = 4;
  /// Values inside the unit that are each smaller than the unit and are accessed one by one; their offsets count as
  /// that of the unit. Empty if the unit is accessed as a whole.
  std::vector<TypeLayout::Leaf> parts = {};
};

/// Neighbouring units that are accessed as one vector in memory; a group of one unit is accessed as a scalar.
struct Group {
  std::size_t first = 0;
  std::size_t count = 1;
};

/// Loads and stores that replace one memcpy.
struct Plan {
  std::vector<Unit> units;
  std::vector<Group> groups;
};

/// Divides `size` bytes, made of one or more values of `type`, at addresses aligned to `align`. Returns nothing if that
/// is impossible.
std::optional<Plan> plan_of(const TypeLayout& type, std::uint64_t size, std::uint64_t align) {
  if (type.size == 0 || (size > type.size && size % type.size != 0)) return std::nullopt;
  const auto has = [&](std::uint64_t at, bool pointer) {
    return std::any_of(type.leaves.begin(), type.leaves.end(), [&](const TypeLayout::Leaf& leaf) {
      return leaf.offset == at % type.size && leaf.size == 8 && leaf.pointer == pointer;
    });
  };
  Plan plan;
  for (std::uint64_t at = 0; at < size;) {
    const bool pointer = has(at, true);
    const bool wide = pointer || (has(at, false) && align >= 8 && at % 8 == 0);
    if (pointer && (align < 8 || at % 8 != 0)) return std::nullopt;
    plan.units.push_back({pointer ? "i8*" : wide ? "i64" : "i32", at, wide ? 8U : 4U});
    at += plan.units.back().size;
    if (at > size) return std::nullopt;
  }
  for (std::size_t u = 0; u < plan.units.size();) {
    const std::uint64_t begin = plan.units[u].offset;
    Group group{u, 1};
    for (const std::uint64_t bytes : {std::uint64_t{16}, std::uint64_t{8}}) {
      if (align < bytes || begin % bytes != 0 || begin + bytes > size) continue;
      std::size_t end = u;
      bool pointer = false;
      bool mixed = false;
      for (; end < plan.units.size() && plan.units[end].offset < begin + bytes; ++end) {
        pointer |= plan.units[end].type[1] == '8';
        mixed |= plan.units[end].size != plan.units[u].size;
      }
      if (pointer) continue;
      if (mixed) {
        plan.units.erase(plan.units.begin() + static_cast<std::ptrdiff_t>(u + 2),
                         plan.units.begin() + static_cast<std::ptrdiff_t>(end));
        plan.units[u] = {"i64", begin, 8};
        plan.units[u + 1] = {"i64", begin + 8, 8};
        end = u + 2;
      }
      group.count = end - u;
      break;
    }
    plan.groups.push_back(group);
    u += group.count;
  }
  return plan;
}

/// Lists the values inside each unit of the copy that contains a value of 1 or 2 bytes, so that the unit can be copied
/// value by value: in a structure that a function returns, padding and members without an assigned value may be poison,
/// and an integer that contains such a byte is poison as a whole. Returns false if a value lies in two units.
bool split_units(Plan& plan, const TypeLayout& type) {
  for (Unit& unit : plan.units) {
    bool narrow = false;
    std::vector<TypeLayout::Leaf> inside;
    const std::uint64_t end = unit.offset + unit.size;
    for (std::uint64_t element = unit.offset / type.size * type.size; element < end; element += type.size) {
      for (const TypeLayout::Leaf& leaf : type.leaves) {
        const std::uint64_t from = element + leaf.offset, to = from + leaf.size;
        if (to <= unit.offset || from >= end) continue;
        const bool half = leaf.size == 8 && unit.size == 4 && (unit.offset - from) % 4 == 0;
        if ((from < unit.offset || to > end) && !half) return false;
        narrow = narrow || leaf.size < 4;
        inside.push_back({from, leaf.size});
      }
    }
    if (narrow) unit.parts = std::move(inside);
  }
  return true;
}

/// Writes the instructions of one copy. Names begin with "%castor.", which clang never uses.
class CopyWriter {
 public:
  CopyWriter(std::string& out, std::size_t number, std::uint64_t align, std::string_view debug)
      : out_(out), prefix_("%castor." + std::to_string(number) + "."), align_(align), debug_(debug) {}

  void write(const Plan& plan, const Pointer& to, Place to_place, const Pointer& from, Place from_place) {
    const bool vector_to = to_place == Place::kMemory;
    const bool vector_from = from_place == Place::kMemory;
    for (const Group& group : plan.groups) {
      const Unit& first = plan.units[group.first];
      const std::string whole = prefix_ + "v" + std::to_string(group.first);
      if (vector_from && group.count > 1) {
        access(true, vector_type(first, group.count), whole, from.value, first.offset);
        if (vector_to) continue;
        for (std::size_t k = 0; k < group.count; ++k)
          line(unit_name(group.first + k) + " = extractelement " + vector_type(first, group.count) + " " + whole +
               ", i32 " + std::to_string(k));
      } else {
        for (std::size_t u = group.first; u < group.first + group.count; ++u) {
          if (vector_from || plan.units[u].parts.empty()) {
            access(true, plan.units[u].type, unit_name(u), from.value, plan.units[u].offset);
          } else {
            put_together(plan.units[u], unit_name(u), from.value);
          }
        }
      }
    }
    for (const Group& group : plan.groups) {
      const Unit& first = plan.units[group.first];
      const std::string whole = prefix_ + "v" + std::to_string(group.first);
      if (vector_to && group.count > 1) {
        if (!vector_from) join(first, group, whole);
        access(false, vector_type(first, group.count), whole, to.value, first.offset);
      } else {
        for (std::size_t u = group.first; u < group.first + group.count; ++u) {
          if (vector_to || plan.units[u].parts.empty()) {
            access(false, plan.units[u].type, unit_name(u), to.value, plan.units[u].offset);
          } else {
            take_apart(plan.units[u], unit_name(u), to.value);
          }
        }
      }
    }
  }

 private:
  [[nodiscard]] std::string unit_name(std::size_t unit) const { return prefix_ + "u" + std::to_string(unit); }
  static std::string vector_type(const Unit& unit, std::size_t count) {
    return "<" + std::to_string(count) + " x " + unit.type + ">";
  }
  void line(const std::string& text) { out_.append("  ").append(text).append(debug_).append("\n"); }
  void access(bool load, const std::string& type, const std::string& value, std::string_view base,
              std::uint64_t offset) {
    const std::string address = prefix_ + (load ? "l" : "s") + std::to_string(offset);
    const std::string pointer = address + ".t";
    line(address + " = getelementptr inbounds i8, i8* " + std::string(base) + ", i64 " + std::to_string(offset));
    line(pointer + " = bitcast i8* " + address + " to " + type + "*");
    std::uint64_t align = align_;
    while (offset % align != 0) align /= 2;
    const std::string place = type + "* " + pointer + ", align " + std::to_string(align);
    line(load ? value + " = load " + type + ", " + place : "store " + type + " " + value + ", " + place);
  }
  /// Loads the parts of a unit and joins them to one integer.
  void put_together(const Unit& unit, const std::string& whole, std::string_view base) {
    const std::string type = unit.type;
    std::string so_far = "0";
    for (std::size_t k = 0; k < unit.parts.size(); ++k) {
      const TypeLayout::Leaf& part = unit.parts[k];
      const std::string name = whole + ".p" + std::to_string(k), narrow = "i" + std::to_string(8 * part.size);
      access(true, narrow, name, base, part.offset);
      line(name + ".f = freeze " + narrow + " " + name);
      line(name + ".w = zext " + narrow + " " + name + ".f to " + type);
      line(name + ".s = shl " + type + " " + name + ".w, " + std::to_string(8 * (part.offset - unit.offset)));
      const std::string next = k + 1 == unit.parts.size() ? whole : name + ".o";
      line(next + " = or " + type + " " + so_far + ", " + name + ".s");
      so_far = next;
    }
  }
  /// Stores the members of a unit that was loaded as one integer.
  void take_apart(const Unit& unit, const std::string& whole, std::string_view base) {
    const std::string type = unit.type;
    for (std::size_t k = 0; k < unit.parts.size(); ++k) {
      const TypeLayout::Leaf& part = unit.parts[k];
      const std::string name = whole + ".q" + std::to_string(k), narrow = "i" + std::to_string(8 * part.size);
      line(name + ".s = lshr " + type + " " + whole + ", " + std::to_string(8 * (part.offset - unit.offset)));
      line(name + " = trunc " + type + " " + name + ".s to " + narrow);
      access(false, narrow, name, base, part.offset);
    }
  }
  void join(const Unit& first, const Group& group, const std::string& whole) {
    const std::string type = vector_type(first, group.count);
    std::string so_far = "undef";
    for (std::size_t k = 0; k < group.count; ++k) {
      const std::string next = k + 1 == group.count ? whole : whole + "." + std::to_string(k);
      line(next + " = insertelement " + type + " " + so_far + ", " + first.type + " " + unit_name(group.first + k) +
           ", i32 " + std::to_string(k));
      so_far = next;
    }
  }

  std::string& out_;
  std::string prefix_;
  std::uint64_t align_;
  std::string_view debug_;
};

constexpr std::string_view kCopy = " @llvm.memcpy.p0i8.p0i8.i64(";

/// Rewriting of the copies in one module.
class Widener {
 public:
  explicit Widener(std::string_view ir) : ir_(ir), types_(ir) {}

  std::string run() {
    find_globals();
    out_.reserve(ir_.size() + ir_.size() / 8);
    bool inside = false;
    for (std::string_view rest = ir_; !rest.empty();) {
      const std::string_view line = line_of(rest);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (begins_with(line, "define ")) {
        inside = true;
        definitions_.begin(kernels_.count(function_name(line)) != 0);
        find_arguments(rest.substr(0, rest.find("\n}\n")));
      } else if (begins_with(line, "}")) {
        inside = false;
      } else if (inside) {
        definitions_.add(line);
        if (line.find(kCopy) != std::string_view::npos && replace(line)) continue;
      }
      out_.append(line).append("\n");
    }
    return std::move(out_);
  }

 private:
  /// Finds kernels, constants, and functions that are not inlined.
  void find_globals() {
    kernels_ = kernel_names(ir_);
    std::vector<std::pair<std::string_view, std::string_view>> functions;  // name, group of attributes
    std::set<std::string_view> apart;
    for (std::string_view rest = ir_; !rest.empty();) {
      const std::string_view line = line_of(rest);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (begins_with(line, "@") && line.find(" constant ") != std::string_view::npos) {
        if (const auto name = between(line, "@", " = ")) constants_.insert(*name);
      } else if (begins_with(line, "define ")) {
        const std::size_t group = line.rfind(" #");
        const auto name = between(line, "@", "(");
        if (name && group != std::string_view::npos) functions.emplace_back(*name, word(line.substr(group + 1)));
      } else if (begins_with(line, "attributes #") && line.find(" noinline ") != std::string_view::npos) {
        apart.insert(word(line.substr(11)));
      }
    }
    for (const auto& [name, group] : functions)
      if (apart.count(group) != 0) apart_.insert(name);
  }
  /// Returns the name of the function that a line defines, "@f".
  static std::string_view function_name(std::string_view line) {
    const std::size_t at = std::min(line.find('@'), line.size());
    return line.substr(at, line.substr(at).find('('));
  }
  static std::string_view word(std::string_view text) { return text.substr(0, text.find(' ')); }

  /// Finds the variables that a function passes by value to functions that are not inlined.
  void find_arguments(std::string_view body) {
    static constexpr std::string_view kByValue = " byval(";
    while (!body.empty()) {
      const std::string_view line = line_of(body);
      body.remove_prefix(std::min(body.size(), line.size() + 1));
      if (line.find(kByValue) == std::string_view::npos || line.find("call ") == std::string_view::npos) continue;
      if (apart_.count(between(line, " @", "(").value_or("")) == 0) continue;
      for (const std::string_view argument : split_operands(line.substr(line.find('(', line.find(" @")) + 1))) {
        const std::size_t name = argument.rfind(" %");
        if (argument.find(kByValue) != std::string_view::npos && name != std::string_view::npos)
          definitions_.pass(argument.substr(name + 1));
      }
    }
  }
  [[nodiscard]] bool names_constant(std::string_view value) const {
    const std::size_t at = value.find('@');
    if (at == std::string_view::npos) return false;
    const std::string_view name = value.substr(at + 1);
    return constants_.count(name.substr(0, name.find_first_of(" ,)"))) != 0;
  }

  /// Returns the layout of the type that a pointer points to; nothing if it is unknown or has integers of an odd width.
  [[nodiscard]] std::optional<TypeLayout> copied_layout(std::string_view pointer) const {
    std::optional<TypeLayout> layout = types_.layout(definitions_.pointee(pointer));
    return layout && layout->odd ? std::nullopt : layout;
  }

  /// Replaces the memcpy of a line; returns false if the line must stay unchanged.
  bool replace(std::string_view line) {
    const std::size_t call = line.find(kCopy);
    if (line.substr(0, call).find("call void") == std::string_view::npos) return false;
    const std::vector<std::string_view> arguments = split_operands(line.substr(call + kCopy.size()));
    if (arguments.size() != 4 || !begins_with(arguments[2], "i64 ") || arguments[3] != "i1 false") return false;
    const auto to = pointer_argument(arguments[0]);
    const auto from = pointer_argument(arguments[1]);
    const auto size = number_at(arguments[2].substr(4));
    if (!to || !from || !size || *size % 4 != 0 || *size == 0 || *size > TypeLayout::kMostBytes) return false;
    const std::uint64_t align = std::min(to->align, from->align);
    if (align < 4) return false;
    const Place to_place = definitions_.place(to->value);
    const Place from_place = definitions_.place(from->value);
    if (to_place == Place::kVariable && from_place == Place::kVariable) return false;
    // The optimiser passes the copy's source to the call directly.
    if (to_place == Place::kArgument || from_place == Place::kArgument) return false;
    // Initial value of a variable: the optimiser reads the value from the constant directly.
    if (to_place == Place::kVariable && names_constant(from->value)) return false;
    auto type = copied_layout(to->value);
    if (!type || type->size < *size) {
      if (auto other = copied_layout(from->value)) type = std::move(other);
    }
    if (!type) return false;
    auto plan = plan_of(*type, *size, align);
    const bool of_variable = to_place != Place::kMemory || from_place != Place::kMemory;
    if (!plan || (of_variable && !split_units(*plan, *type))) return false;
    std::string debug;
    if (const std::size_t at = line.find(", !dbg !"); at != std::string_view::npos) {
      const std::string_view tail = line.substr(at);
      debug = tail.substr(0, tail.find_first_not_of("0123456789", 8));
    }
    CopyWriter(out_, copies_++, align, debug).write(*plan, *to, to_place, *from, from_place);
    return true;
  }

  std::string_view ir_;
  TypeTable types_;
  std::set<std::string_view> kernels_;
  std::set<std::string_view> constants_;
  std::set<std::string_view> apart_;
  Definitions definitions_;
  std::string out_;
  std::size_t copies_ = 0;
};

}  // namespace

std::string widen_copies(std::string_view ir) { return Widener(ir).run(); }

}  // namespace castor::castor_cc
