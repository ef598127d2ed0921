// Liveness across calls, after Sharir and Pnueli, "Two approaches to interprocedural data flow analysis" (1981), the
// functional approach. For one register, a call has one of four effects on liveness. Two bits describe the effect: the
// function may read the register first, and some path may leave it unchanged. Two solutions for every function give
// these bits: one with no register live at its returns, and one with all registers live there. A last solution follows
// paths from calls to the returns of their callees.

#include "compiler/live_registers.h"

#include <algorithm>

namespace castor::compiler {
namespace {

using isa::Kind;
using isa::Record;

RegisterSet read_by(const Record& record, const isa::RegisterUse& use) {
  RegisterSet set;
  for (unsigned operand = 0; operand < 4; ++operand)
    for (unsigned i = 0; i < use.src[operand]; ++i) set.set(record.src[operand] + i);
  for (unsigned p = 0; p < kPredicateRegisters; ++p)
    if ((use.predicates_read >> p & 1) != 0) set.set(kMaxRegisters + p);
  return set;
}

/// Returns the registers whose old values are lost in every lane that continues after the record.
RegisterSet overwritten_by(const Record& record, const isa::RegisterUse& use) {
  RegisterSet set;
  if (record.guard != isa::kNoGuard) return set;
  for (unsigned i = 0; i < use.dst; ++i) set.set(record.dst + i);
  for (unsigned p = 0; p < kPredicateRegisters; ++p)
    if ((use.predicates_written >> p & 1) != 0) set.set(kMaxRegisters + p);
  return set;
}

bool add(RegisterSet& to, const RegisterSet& set) {
  const RegisterSet sum = to | set;
  const bool grown = sum != to;
  to = sum;
  return grown;
}

}  // namespace

LiveRegisters::LiveRegisters(const isa::Program& program) : program_(program) {
  find_functions();
  find_summaries();
  find_live();
}

void LiveRegisters::find_functions() {
  function_of_.assign(program_.code.size(), 0);
  for (std::uint32_t f = 0; f < program_.functions.size(); ++f) {
    const isa::ProgramFunction& function = program_.functions[f];
    std::fill_n(function_of_.begin() + function.first, function.count, f);
  }
  callees_.resize(program_.code.size());
  for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) callees_[pc] = callees(pc);
}

std::vector<std::uint32_t> LiveRegisters::callees(std::uint32_t pc) const {
  const Record& record = program_.code[pc];
  if (record.kind == Kind::kCall) return {function_of_[record.branch.target]};
  if (record.kind != Kind::kCallIndirect) return {};
  std::vector<std::uint32_t> found;
  for (const auto& [value, first] : program_.functions_by_value) found.push_back(function_of_[first]);
  // In a listing there are no addresses, so an indirect call may reach every function.
  if (found.empty())
    for (std::uint32_t f = 1; f < program_.functions.size(); ++f) found.push_back(f);
  return found;
}

RegisterSet LiveRegisters::through_call(std::uint32_t pc, const RegisterSet& behind) const {
  RegisterSet live;
  for (const std::uint32_t f : callees_[pc]) live |= summaries_[f].read | (behind & summaries_[f].passed);
  if (program_.code[pc].guard != isa::kNoGuard) live |= behind;
  return live;
}

RegisterSet LiveRegisters::before(std::uint32_t pc, const Live& live, const std::vector<RegisterSet>& at_return) const {
  const Record& record = program_.code[pc];
  const RegisterSet read = read_by(record, program_.uses[pc]);
  const bool goes_on = record.guard != isa::kNoGuard;
  switch (record.kind) {
    case Kind::kBranch:
      return read | live[record.branch.target] | (goes_on ? live[pc + 1] : RegisterSet{});
    case Kind::kBranchIndirect: {
      RegisterSet set = read | (goes_on ? live[pc + 1] : RegisterSet{});
      for (const std::uint32_t target : program_.branch_tables[record.imm])
        if (target != isa::kNoPc) set |= live[target];
      return set;
    }
    case Kind::kCall:
    case Kind::kCallIndirect:
      return read | through_call(pc, live[pc + 1]);
    case Kind::kReturn:
      return read | at_return[function_of_[pc]] | (goes_on ? live[pc + 1] : RegisterSet{});
    case Kind::kExit:
    case Kind::kTrap:
      return read | (goes_on ? live[pc + 1] : RegisterSet{});
    default:
      return read | (live[pc + 1] & ~overwritten_by(record, program_.uses[pc]));
  }
}

bool LiveRegisters::sweep(Live& live, const std::vector<RegisterSet>& at_return) const {
  bool grown = false;
  for (auto pc = static_cast<std::uint32_t>(program_.code.size()); pc-- > 0;)
    grown = add(live[pc], before(pc, live, at_return)) || grown;
  return grown;
}

// Calls may be recursive, so all summaries are computed together until none grows.
void LiveRegisters::find_summaries() {
  const std::size_t functions = program_.functions.size();
  summaries_.resize(functions);
  const std::vector<RegisterSet> none(functions);
  std::vector<RegisterSet> all(functions);
  for (std::size_t f = 1; f < functions; ++f) all[f].set();  // a return of the kernel ends the thread
  Live with_none(program_.code.size() + 1);
  Live with_all(program_.code.size() + 1);
  for (bool grown = true; grown;) {
    grown = sweep(with_none, none);
    grown = sweep(with_all, all) || grown;
    for (std::size_t f = 0; f < functions; ++f) {
      const std::uint32_t entry = program_.functions[f].first;
      grown = add(summaries_[f].read, with_none[entry]) || grown;
      grown = add(summaries_[f].passed, with_all[entry]) || grown;
    }
  }
}

void LiveRegisters::find_live() {
  std::vector<RegisterSet> at_return(program_.functions.size());
  before_.resize(program_.code.size() + 1);
  for (bool grown = true; grown;) {
    grown = sweep(before_, at_return);
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc)
      for (const std::uint32_t f : callees_[pc]) grown = add(at_return[f], before_[pc + 1]) || grown;
  }
}

}  // namespace castor::compiler
