#include "castor_cc/ir_locks_access.h"

#include <algorithm>

#include "castor_cc/ir_types.h"

namespace castor::castor_cc {
namespace {

constexpr unsigned kDeepest = 64;  ///< longest chain of address instructions that is followed

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view behind_word(std::string_view text) { return text.substr(std::min(text.find(' ') + 1, text.size())); }

/// Returns the arguments of a call, in order.
std::vector<std::string_view> call_arguments(std::string_view call) {
  const std::string_view callee = callee_of(call);
  std::size_t open = std::string_view::npos;
  if (!callee.empty()) {
    open = static_cast<std::size_t>(callee.data() - call.data()) + callee.size();
  } else if (const std::size_t code = call.rfind("\"("); code != std::string_view::npos) {
    open = code + 1;
  }
  if (open == std::string_view::npos) return {};
  return split_operands(call.substr(open + 1));
}

bool leads_to_objects(std::string_view argument) {
  const std::string_view type = argument.substr(0, type_length(argument));
  return !type.empty() && (type.back() == '*' || type[0] == '%' || type[0] == '{' || type[0] == '[');
}

IrAccess assembly_access(std::string_view call, std::set<IrObject> objects) {
  IrAccess access;
  const bool atomic = has_part(call, "atom.");
  access.written_anywhere = atomic || has_part(call, "st.") || has_part(call, "red.");
  access.fence = has_part(call, "membar") || has_part(call, "fence");
  if (!atomic && !has_part(call, "ld.")) return access;
  if (objects.empty()) objects.insert("asm");  // the address may be passed as an integer
  if (atomic && (has_part(call, ".cas") || has_part(call, ".exch"))) access.acquired = objects;
  access.observed = std::move(objects);
  return access;
}

bool may_meet(const std::set<IrObject>& a, const std::set<IrObject>& b) {
  for (const IrObject& left : a)
    for (const IrObject& right : b)
      if (may_be_one(left, right)) return true;
  return false;
}

/// Returns ".2" for "getelementptr inbounds %struct.S, %struct.S* %5, i32 0, i32 2"; empty for array elements.
std::string members_in(const std::vector<std::string_view>& operands) {
  std::string members;
  for (std::size_t i = 3; i < operands.size(); ++i) {
    if (!begins_with(operands[i], "i32 ") || has_part(operands[i], "%")) return members;
    members.append(".").append(operands[i].substr(4, operands[i].find(',') - 4));
  }
  return members;
}

std::string_view base_of(std::string_view object) { return object.substr(0, object.find('|')); }

}  // namespace

bool may_be_one(const IrObject& a, const IrObject& b) {
  const std::string_view base = base_of(a);
  if (base != base_of(b)) return false;
  const std::string_view left = std::string_view(a).substr(base.size());
  const std::string_view right = std::string_view(b).substr(base.size());
  return begins_with(left, right) || begins_with(right, left) || has_part(left, "?") || has_part(right, "?");
}

bool IrAccess::releases(const IrAccess& acquisition) const {
  if (!acquisition.acquired.empty() && (fence || written_anywhere)) return true;
  return may_meet(acquisition.acquired, written) || may_meet(acquisition.observed, written);
}

std::string_view operation_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t name = name_length(line);
  if (name != 0 && begins_with(line.substr(name), " = ")) line.remove_prefix(name + 3);
  for (const std::string_view word : {"tail ", "musttail ", "notail "})
    if (begins_with(line, word)) line.remove_prefix(word.size());
  return line;
}

std::string_view callee_of(std::string_view instruction) {
  if (!begins_with(instruction, "call ") || has_part(instruction.substr(0, instruction.find('"')), " asm ")) return {};
  const std::size_t at = instruction.find('@');
  if (at == std::string_view::npos) return {};
  const std::vector<std::string_view> names = names_in(instruction.substr(at));
  if (names.empty()) return {};
  const std::size_t end = at + names[0].size();
  return end < instruction.size() && instruction[end] == '(' ? names[0].substr(1) : std::string_view();
}

IrValues::IrValues(const IrFunction& function, const IrSummaries& summaries)
    : function_(function), summaries_(summaries) {
  const std::vector<std::string_view>& lines = function.lines();
  for (std::size_t at = 1; at < lines.size(); ++at) {
    const std::string_view text = lines[at].substr(std::min(lines[at].find_first_not_of(' '), lines[at].size()));
    const std::size_t name = name_length(text);
    if (name != 0 && begins_with(text.substr(name), " = ")) lines_.emplace(text.substr(0, name), at);
  }
  // A store of a pointer to a variable: the pointer and the variable's content are the same object from then on.
  for (const std::string_view line : lines) {
    const std::string_view text = operation_of(line);
    if (!begins_with(text, "store ") || begins_with(text, "store volatile") || begins_with(text, "store atomic"))
      continue;
    const std::vector<std::string_view> operands = split_operands(text.substr(6));
    if (operands.size() < 2) continue;
    const std::string_view type = operands[0].substr(0, type_length(operands[0]));
    if (!type.empty() && type.back() == '*') keep(object(operands[0]), object(operands[1]));
  }
  for (std::size_t at = 1; at < lines.size(); ++at) {
    IrAccess found = access(operation_of(lines[at]));
    if (!found.empty()) accesses_.emplace(at, std::move(found));
  }
}

std::string_view IrValues::definition(std::string_view value) const {
  const auto found = lines_.find(value);
  return found == lines_.end() ? std::string_view() : operation_of(function_.lines()[found->second]);
}

std::size_t IrValues::line_of(std::string_view value) const {
  const auto found = lines_.find(value);
  return found == lines_.end() ? 0 : found->second;
}

void IrValues::keep(const IrObject& pointer, const IrObject& variable) {
  if (pointer.empty() || variable.empty()) return;
  const std::string from(base_of(pointer));
  const std::string to(base_of(variable));
  if (from == to) return;
  // clang stores each argument in a variable of its own.
  if (from[0] == '%' && definition(from).empty()) {
    kept_.emplace(from, to);
  } else {
    kept_.emplace(to, from);
  }
}

IrObject IrValues::known(std::string_view variable) const {
  std::string name(variable);
  bool same = true;
  std::set<std::string> seen;
  for (auto at = kept_.find(name); at != kept_.end() && seen.insert(name).second; at = kept_.find(name)) {
    same = same && definition(name).empty();
    name = at->second;
  }
  return name + (same ? "|" : "|?");
}

IrObject IrValues::object(std::string_view operand) const { return operand_origin(operand, 0); }

IrObject IrValues::operand_origin(std::string_view operand, unsigned depth) const {
  const std::string_view value = operand.substr(std::min(type_length(operand), operand.size()));
  std::string_view last;
  for (const std::string_view name : names_in(value)) {
    if (name[0] == '@') return known(name);
    last = name;
  }
  return last.empty() ? IrObject() : origin(last, depth);
}

IrObject IrValues::origin(std::string_view value, unsigned depth) const {
  const std::string_view text = definition(value);
  const std::string_view opcode = text.substr(0, text.find(' '));
  if (text.empty() || opcode == "alloca" || depth > kDeepest) return known(value);
  if (opcode == "call") {
    // The call returns an address, such as the address of a lock.
    for (const std::string_view argument : call_arguments(text))
      if (leads_to_objects(argument)) return operand_origin(argument, depth + 1) + "?";
    return std::string("@").append(callee_of(text)).append("|?");
  }
  const std::vector<std::string_view> operands = split_operands(behind_word(text));
  const bool load = opcode == "load";
  const bool element = opcode == "getelementptr";
  if (load || element || opcode == "select") {
    if (operands.size() < 2) return {};
    const IrObject from = operand_origin(operands[1], depth + 1);
    return from.empty() ? from : from + (load ? "*" : element ? members_in(operands) : "");
  }
  if (opcode == "phi") {
    for (const std::string_view name : names_in(text)) return origin(name, depth + 1);
    return {};
  }
  return operand_origin(operands[0].substr(0, operands[0].find(" to ")), depth + 1);
}

std::set<IrObject> IrValues::argument_objects(std::string_view call) const {
  std::set<IrObject> objects;
  for (const std::string_view argument : call_arguments(call)) {
    if (!leads_to_objects(argument)) continue;
    IrObject found = object(argument);
    if (!found.empty()) objects.insert(std::move(found));
  }
  return objects;
}

/// True if an address refers to a variable of this function.
bool IrValues::is_local(std::string_view operand) const {
  for (unsigned step = 0; step < kDeepest; ++step) {
    const std::vector<std::string_view> names =
        names_in(operand.substr(std::min(type_length(operand), operand.size())));
    if (names.empty()) return false;
    const std::string_view text = definition(names.back());
    if (begins_with(text, "alloca ")) return true;
    const bool element = begins_with(text, "getelementptr ");
    if (!element && !begins_with(text, "bitcast ") && !begins_with(text, "addrspacecast ")) return false;
    const std::vector<std::string_view> operands = split_operands(behind_word(text));
    operand = element && operands.size() > 1 ? operands[1] : operands[0].substr(0, operands[0].find(" to "));
  }
  return false;
}

IrAccess IrValues::access(std::string_view text) const {
  IrAccess access;
  if (begins_with(text, "call ")) return call_access(text);
  if (begins_with(text, "fence ")) {
    access.fence = true;
    return access;
  }
  const std::string_view opcode = text.substr(0, text.find(' '));
  text = behind_word(text);
  const bool store = opcode == "store";
  const bool load = opcode == "load";
  const bool exchange = opcode == "cmpxchg";
  if (!exchange && opcode != "atomicrmw") {
    if (!store && !load) return access;
    if (!begins_with(text, "volatile ") && !begins_with(text, "atomic ")) return access;
  }
  for (const std::string_view word : {"weak ", "atomic ", "volatile "})
    if (begins_with(text, word)) text.remove_prefix(word.size());
  const bool swap = exchange || begins_with(text, "xchg ");
  if (opcode == "atomicrmw") text = behind_word(text);
  const std::vector<std::string_view> operands = split_operands(text);
  if (operands.size() < 2) return access;
  const std::string_view address = operands[store || load ? 1 : 0];
  const IrObject found = object(address);
  if (found.empty() || is_local(address)) return access;
  if (!load) access.written.insert(found);
  if (!store) access.observed.insert(found);
  if (swap) access.acquired.insert(found);
  return access;
}

IrAccess IrValues::call_access(std::string_view call) const {
  const std::string_view callee = callee_of(call);
  IrAccess access;
  if (callee.empty()) {
    const std::size_t code = call.find('"');
    if (code == std::string_view::npos || !has_part(call.substr(0, code), " asm ")) return access;
    return assembly_access(call, argument_objects(call));
  }
  if (begins_with(callee, "llvm.nvvm.membar")) access.fence = true;
  if (begins_with(callee, "llvm.nvvm.atomic.")) {
    access.written = access.observed = argument_objects(call);
    if (has_part(callee, ".cas.") || has_part(callee, ".exch.")) access.acquired = access.written;
  }
  const auto summary = summaries_.find(callee);
  if (summary == summaries_.end()) return access;
  access = summary->second;
  for (std::set<std::string>* const objects : {&access.acquired, &access.observed, &access.written}) {
    if (objects->erase("#") == 0) continue;
    for (const IrObject& object : argument_objects(call)) objects->insert(object);
    if (objects->empty()) objects->insert("#");
  }
  return access;
}

}  // namespace castor::castor_cc
