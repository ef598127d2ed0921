// Linking of a kernel: functions that it reaches, and how they call each other.
//
// Calling convention. A function that only direct calls reach takes scalar arguments in registers R0, R1, ... (64-bit
// values in aligned pairs), up to a limit, and returns results in the same way. Everything else, structs above all,
// passes through the "area". The area is a block of local memory in which each function has its own places. A function
// that indirect calls can reach uses places in the area that depend on its signature only. Registers would fail there:
// when the lanes of a warp call different functions, some lanes wait at a function's entry with their arguments while
// others run. intervals.cpp explains why registers of waiting lanes are not safe from other lanes.
//
// Frames. A function has one frame in local memory, at a fixed address, unless it can call itself, directly or through
// others. A recursive function has a frame on the call stack for each of its calls. The call stack is the last part of
// local memory. Register kStackRegister holds its end, and no function of such a program uses this register for
// anything else. A function adds the size of its frame at entry and subtracts it before it returns. The machine checks
// the stack limit at each call of such a function.

#include "compiler/link.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "compiler/runtime_calls.h"

namespace castor::compiler {
namespace {

using isa::Function;
using isa::Instruction;
using isa::Operand;
using isa::Space;
using isa::Variable;

/// Calls f on an operand and on all operands inside it.
template <class F>
void visit(const Operand& operand, const F& f) {
  f(operand);
  for (const Operand& element : operand.elements) visit(element, f);
}

/// Returns the signature as text: the sizes of results and parameters, which must agree for an indirect call.
std::string shape(const std::vector<Variable>& results, const std::vector<Variable>& parameters) {
  std::string text;
  for (const Variable& v : results) text += std::to_string(v.size) + (v.unsized ? "*," : ",");
  text += ':';
  for (const Variable& v : parameters) text += std::to_string(v.size) + (v.unsized ? "*," : ",");
  return text;
}

/// Collects and lays out everything that a kernel reaches.
class Linker {
 public:
  Linker(Linked& out, unsigned argument_registers) : out_(out), argument_registers_(argument_registers) {}

  void run(std::string_view kernel) {
    const isa::Module& module = *out_.module;
    for (const Variable& v : module.variables) out_.variables.emplace(v.name, &v);
    for (const Function& f : module.functions) out_.all_functions.emplace(f.name, &f);
    const auto found = out_.all_functions.find(kernel);
    if (found == out_.all_functions.end() || !found->second->entry || !found->second->defined)
      throw base::InputError({module.file, 0, 0},
                             "there is no kernel called '" + base::printable(kernel) + "' in this module",
                             "`castor list FILE` shows its kernels");
    for (const Variable& v : module.variables)
      for (const isa::Relocation& r : v.relocations) take_address(r.symbol);
    // Kernels named in initial values matter only if the program launches kernels.
    const std::vector<std::string> initial = std::move(out_.named_kernels);
    out_.named_kernels.clear();
    named_.clear();
    add(*found->second);
    // The sets grow until they are stable: functions contain calls, calls reach functions, and both take addresses.
    for (std::size_t next = 0; next < out_.functions.size();) {
      for (; next < out_.functions.size(); ++next) scan(*out_.functions[next].function);
      for (std::size_t i = 0; i < indirect_.size(); ++i)
        for (const Function* f : fitting(*indirect_[i].first, *indirect_[i].second)) {
          add(*f);
          targets_.insert(f);
        }
    }
    for (std::uint32_t i = 0; i < out_.functions.size(); ++i)
      if (targets_.count(out_.functions[i].function) != 0) out_.targets.push_back(i);
    if (out_.launches)
      for (const std::string& name : initial) take_address(name);
    find_callees();
    order();
    choose_stack();
    lay_out_calls();
    lay_out_shared();
  }

 private:
  void take_address(std::string_view name) {
    const auto found = out_.all_functions.find(name);
    if (found == out_.all_functions.end()) return;
    if (!found->second->entry)
      taken_.insert(found->second);
    else if (found->second->defined && named_.insert(found->second).second)
      out_.named_kernels.push_back(found->second->name);
  }

  void add(const Function& function) {
    if (out_.index_by_name.emplace(function.name, out_.functions.size()).second) {
      out_.functions.emplace_back();
      out_.functions.back().function = &function;
    }
  }

  void use_variable(const Variable& v) {
    if (v.space == Space::kShared && seen_.insert(&v).second) shared_.push_back(&v);
  }
  void use_module_variable(const Variable& v) {
    use_variable(v);
    if (v.space == Space::kLocal && seen_.insert(&v).second) locals_.push_back(&v);
  }

  void scan(const Function& function) {
    for (const Instruction& instruction : function.body) {
      if (instruction.call) {
        const isa::Call& call = function.calls[*instruction.call];
        if (call.target.kind == Operand::Kind::kSymbol)
          add_direct(function, call, instruction);
        else
          indirect_.emplace_back(&function, &call);
        for (const Operand& argument : call.arguments)
          visit(argument, [&](const Operand& o) { reference(function, o); });
      }
      for (const Operand& operand : instruction.operands) {
        if (instruction.call) break;
        visit(operand, [&](const Operand& o) { reference(function, o); });
      }
    }
  }

  void reference(const Function& function, const Operand& operand) {
    if (operand.kind == Operand::Kind::kVariable) {
      use_variable(function.variables[operand.index]);
    } else if (operand.kind == Operand::Kind::kSymbol) {
      const std::string& name = out_.module->names[operand.index];
      const auto found = out_.variables.find(name);
      if (found != out_.variables.end())
        use_module_variable(*found->second);
      else
        take_address(name);
    }
  }

  void add_direct(const Function& caller, const isa::Call& call, const Instruction& instruction) {
    const std::string& name = out_.module->names[call.target.index];
    const auto found = out_.all_functions.find(name);
    if (found != out_.all_functions.end() && found->second->defined) {
      if (found->second->entry)
        fail(*out_.module, instruction.where,
             "'" + base::printable(base::readable_name(name), 200) + "' is a kernel and cannot be called");
      check_arity(*found->second, call, instruction);
      return add(*found->second);
    }
    if (system_call(name)) return;
    if (const RuntimeFunction* const runtime = find_runtime_function(name)) {
      out_.launches = out_.launches || isa::uses_kernels(runtime->call);
      return;
    }
    fail(*out_.module, instruction.where,
         "call from '" + base::printable(base::readable_name(caller.name), 200) + "' to '" +
             base::printable(base::readable_name(name), 200) + "', which is not defined in this module",
         "compile the function into the same module");
  }

  void check_arity(const Function& callee, const isa::Call& call, const Instruction& instruction) {
    if (callee.parameters.size() != call.arguments.size() || callee.results.size() < call.results.size())
      fail(*out_.module, instruction.where,
           "call of '" + base::printable(base::readable_name(callee.name), 200) + "' with " +
               std::to_string(call.arguments.size()) + " arguments and " + std::to_string(call.results.size()) +
               " results; it has " + std::to_string(callee.parameters.size()) + " and " +
               std::to_string(callee.results.size()));
  }

  /// Returns the functions that the call may reach, among those whose address is taken so far.
  std::vector<const Function*> fitting(const Function& caller, const isa::Call& call) const {
    std::vector<const Function*> all;
    const auto defined = [](const Function* f) { return f->defined && !f->entry; };
    if (!call.candidates.empty()) {
      for (const std::string& name : call.candidates) {
        const auto found = out_.all_functions.find(name);
        if (found != out_.all_functions.end() && defined(found->second)) all.push_back(found->second);
      }
      return all;
    }
    if (!call.prototype) return all;
    const isa::Prototype& prototype = caller.prototypes[*call.prototype];
    const std::string wanted = shape(prototype.results, prototype.parameters);
    // The order of the module makes repeated compilations agree.
    for (const Function& f : out_.module->functions)
      if (taken_.count(&f) != 0 && defined(&f) && shape(f.results, f.parameters) == wanted) all.push_back(&f);
    return all;
  }

  void find_callees() {
    direct_.resize(out_.functions.size());
    for (std::uint32_t i = 0; i < out_.functions.size(); ++i) {
      const Function& function = *out_.functions[i].function;
      std::set<std::uint32_t> callees;
      for (const Instruction& instruction : function.body) {
        if (!instruction.call) continue;
        const isa::Call& call = function.calls[*instruction.call];
        if (call.target.kind == Operand::Kind::kSymbol) {
          const auto found = out_.index_by_name.find(out_.module->names[call.target.index]);
          if (found == out_.index_by_name.end()) continue;
          callees.insert(found->second);
          direct_[i].push_back(found->second);
        } else {
          for (const Function* f : fitting(function, call)) callees.insert(out_.index_by_name.at(f->name));
        }
      }
      out_.functions[i].callees.assign(callees.begin(), callees.end());
    }
  }

  /// Puts the frames of every function in a cycle of direct calls on the stack. A cycle that is closed only by indirect
  /// calls may never occur at run time. Its functions keep one frame each, unless `stack_for_pointers` is set, and the
  /// machine stops a program that enters such a function again.
  void choose_stack() {
    std::vector<bool> deep(out_.functions.size(), false);  // by component: contains a cycle of direct calls
    for (const std::uint32_t f : direct_cycles()) deep[out_.functions[f].component] = true;
    for (LinkedFunction& f : out_.functions) {
      f.on_stack = f.cyclic && (deep[f.component] || out_.options->stack_for_pointers);
      f.convention.reentrant = f.on_stack;
      out_.uses_stack = out_.uses_stack || f.on_stack;
    }
  }

  /// Returns at least one function of each cycle of direct calls.
  [[nodiscard]] std::vector<std::uint32_t> direct_cycles() const {
    enum : std::uint8_t { kNew, kOpen, kDone };
    std::vector<std::uint8_t> state(out_.functions.size(), kNew);
    std::vector<std::uint32_t> result;
    for (std::uint32_t root = 0; root < out_.functions.size(); ++root) {
      if (state[root] != kNew) continue;
      std::vector<std::pair<std::uint32_t, std::size_t>> path{{root, 0}};
      state[root] = kOpen;
      while (!path.empty()) {
        auto& [function, next] = path.back();
        if (next == direct_[function].size()) {
          state[function] = kDone;
          path.pop_back();
          continue;
        }
        const std::uint32_t callee = direct_[function][next++];
        if (state[callee] == kOpen) result.push_back(callee);
        if (state[callee] != kNew) continue;
        state[callee] = kOpen;
        path.emplace_back(callee, 0);
      }
    }
    return result;
  }

  /// Finds the strongly connected components of the call graph (Tarjan) and orders them callees first.
  void order() {
    const std::uint32_t n = static_cast<std::uint32_t>(out_.functions.size());
    std::vector<std::uint32_t> number(n, 0), low(n, 0), stack;
    std::vector<bool> on_stack(n, false);
    std::uint32_t counter = 0;
    std::uint32_t components = 0;
    struct Step {
      std::uint32_t function;
      std::size_t next;
    };
    for (std::uint32_t root = 0; root < n; ++root) {
      if (number[root] != 0) continue;
      std::vector<Step> path;
      const auto enter = [&](std::uint32_t f) {
        number[f] = low[f] = ++counter;
        stack.push_back(f);
        on_stack[f] = true;
        path.push_back({f, 0});
      };
      enter(root);
      while (!path.empty()) {
        const std::uint32_t f = path.back().function;
        const auto& callees = out_.functions[f].callees;
        if (path.back().next < callees.size()) {
          const std::uint32_t callee = callees[path.back().next++];
          if (number[callee] == 0)
            enter(callee);
          else if (on_stack[callee])
            low[f] = std::min(low[f], number[callee]);
          continue;
        }
        path.pop_back();
        if (!path.empty()) low[path.back().function] = std::min(low[path.back().function], low[f]);
        if (low[f] != number[f]) continue;
        std::vector<std::uint32_t> members;
        for (std::uint32_t member = n; member != f;) {
          member = stack.back();
          stack.pop_back();
          on_stack[member] = false;
          members.push_back(member);
        }
        const bool cyclic = members.size() > 1 || std::count(callees.begin(), callees.end(), f) != 0;
        for (const std::uint32_t member : members) {
          out_.functions[member].component = components;
          out_.functions[member].cyclic = cyclic;
          out_.bottom_up.push_back(member);
        }
        ++components;
      }
    }
  }

  std::vector<Place> registers_first(const std::vector<Variable>& variables) {
    std::vector<Place> places;
    unsigned next = out_.uses_stack ? kStackRegister + 1 : 0;
    for (const Variable& v : variables) {
      Place place;
      place.size = v.size;
      place.scalar = is_scalar(v);
      place.cls = v.size > 4 ? RegisterClass::kPair : RegisterClass::kSingle;
      const unsigned width = units(place.cls);
      const unsigned at = (next + width - 1) / width * width;
      if (place.scalar && at + width <= argument_registers_) {
        place.kind = Place::Kind::kRegister;
        place.reg = at;
        next = at + width;
      }
      places.push_back(place);
    }
    return places;
  }

  std::vector<Place> all_in_area(const std::vector<Variable>& variables) {
    std::vector<Place> places;
    for (const Variable& v : variables) {
      Place place;
      place.size = v.size;
      place.scalar = is_scalar(v);
      place.cls = v.size > 4 ? RegisterClass::kPair : RegisterClass::kSingle;
      places.push_back(place);
    }
    return places;
  }

  void give_offsets(std::vector<Place>& places) {
    for (Place& place : places) {
      if (place.kind != Place::Kind::kArea) continue;
      // Each location is aligned to 16 bytes, which suits the widest access, whatever alignments caller and callee
      // declare.
      place.offset = align_up(out_.area_bytes, 16);
      out_.area_bytes = place.offset + std::max<std::uint64_t>(place.size, 1);
    }
  }

  void lay_out_calls() {
    std::unordered_map<std::string, Convention> shapes;
    for (std::uint32_t i = 1; i < out_.functions.size(); ++i) {
      LinkedFunction& f = out_.functions[i];
      if (std::find(out_.targets.begin(), out_.targets.end(), i) != out_.targets.end()) {
        const std::string key = shape(f.function->results, f.function->parameters);
        auto found = shapes.find(key);
        if (found == shapes.end()) {
          Convention convention;
          convention.shared_area = true;
          convention.arguments = all_in_area(f.function->parameters);
          convention.results = all_in_area(f.function->results);
          give_offsets(convention.arguments);
          give_offsets(convention.results);
          found = shapes.emplace(key, std::move(convention)).first;
        }
        f.convention = found->second;
        f.convention.reentrant = f.on_stack;
      } else {
        f.convention.arguments = registers_first(f.function->parameters);
        f.convention.results = registers_first(f.function->results);
        give_offsets(f.convention.arguments);
        give_offsets(f.convention.results);
      }
    }
    lay_out_locals();
    out_.area_bytes = align_up(out_.area_bytes, 16);
  }

  /// Lays out the module's variables in local memory: one copy per thread, shared by all functions.
  void lay_out_locals() {
    for (const Variable* v : locals_) {
      const std::uint64_t align = std::max<std::uint64_t>(v->align, 16);
      out_.area_align = std::max(out_.area_align, align);
      const std::uint64_t offset = align_up(out_.area_bytes, align);
      out_.local_offsets[v] = offset;
      out_.area_bytes = offset + v->size;
      constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
      if (out_.area_bytes > kMost)
        fail(*out_.module, v->where, "local variables take more than 1 GB per thread", "use smaller arrays");
    }
  }

  void lay_out_shared() {
    std::uint64_t end = 0;
    for (const Variable* v : shared_) {
      if (v->unsized) {
        out_.dynamic_shared = true;
        continue;
      }
      end = align_up(end, std::max<std::uint64_t>(v->align, 1));
      out_.shared_offsets[v] = static_cast<std::uint32_t>(end);
      end += v->size;
      if (end > 0x40000000u) fail(*out_.module, v->where, "shared variables take more than 1 GB", "use smaller arrays");
    }
    // Dynamic shared memory starts after the static variables.
    std::uint64_t align = 16;
    for (const Variable* v : shared_)
      if (v->unsized) align = std::max(align, v->align);
    if (out_.dynamic_shared) end = align_up(end, align);
    for (const Variable* v : shared_)
      if (v->unsized) out_.shared_offsets[v] = static_cast<std::uint32_t>(end);
    out_.shared_bytes = static_cast<std::uint32_t>(end);
  }

  Linked& out_;
  const unsigned argument_registers_;
  std::unordered_set<const Function*> taken_;
  std::unordered_set<const Function*> named_;  // kernels whose name some function uses
  std::unordered_set<const Function*> targets_;
  std::vector<std::pair<const Function*, const isa::Call*>> indirect_;
  std::vector<std::vector<std::uint32_t>> direct_;  // per function: callees of its direct calls
  std::vector<const Variable*> shared_;
  std::vector<const Variable*> locals_;
  std::unordered_set<const Variable*> seen_;
};

}  // namespace

void fail(const isa::Module& module, const isa::SourceLine& where, const std::string& message,
          const std::string& hint) {
  throw base::InputError({module.file, static_cast<int>(where.line), static_cast<int>(where.column)}, message, hint);
}

bool is_scalar(const Variable& variable) {
  if (variable.type == isa::Type::kPred) return true;
  const unsigned size = isa::bytes(variable.type);
  return !variable.unsized && variable.size == size && (size == 1 || size == 2 || size == 4 || size == 8);
}

std::optional<isa::SystemCall> system_call(std::string_view name) {
  if (name == "vprintf") return isa::SystemCall::kPrintf;
  if (name == "malloc") return isa::SystemCall::kMalloc;
  if (name == "free") return isa::SystemCall::kFree;
  if (name == "__assertfail") return isa::SystemCall::kAssertFail;
  if (name == "__cxa_pure_virtual") return isa::SystemCall::kPureVirtual;
  if (name == "__castor_register") return isa::SystemCall::kRegister;
  return std::nullopt;
}

std::vector<std::uint32_t> Linked::candidates(const Function& caller, const isa::Call& call) const {
  std::vector<std::uint32_t> result;
  if (!call.candidates.empty()) {
    for (const std::string& name : call.candidates) {
      const auto found = index_by_name.find(name);
      if (found != index_by_name.end()) result.push_back(found->second);
    }
    return result;
  }
  if (!call.prototype) return result;
  const isa::Prototype& prototype = caller.prototypes[*call.prototype];
  const std::string wanted = shape(prototype.results, prototype.parameters);
  for (const std::uint32_t i : targets)
    if (shape(functions[i].function->results, functions[i].function->parameters) == wanted) result.push_back(i);
  return result;
}

std::uint64_t Linked::address(std::string_view name, const isa::SourceLine& where) const {
  const auto found = options->symbols.find(std::string(name));
  if (found != options->symbols.end()) return found->second;
  if (!addresses_known) return 0;
  fail(*module, where, "'" + base::printable(base::readable_name(name), 200) + "' is not defined in this module",
       "variables and functions must be defined in the module that uses them");
}

Linked link(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options, bool addresses_known,
            unsigned argument_registers) {
  Linked linked;
  linked.module = &module;
  linked.options = &options;
  linked.addresses_known = addresses_known;
  Linker(linked, argument_registers).run(kernel);
  return linked;
}

}  // namespace castor::compiler
