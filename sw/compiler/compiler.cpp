// Compilation of a kernel to a program, function by function, callees first.
//
// The registers of a callee are known when its callers are compiled. A caller keeps values that live across a call in
// registers that the callee, and anything it calls, does not write. So no function saves registers, and a program needs
// only as many registers as its deepest call chain. Functions in a call cycle have no such order. A call inside the
// cycle counts as writing every register, and values that live across it are spilled.

#include "compiler/compiler.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "compiler/allocate.h"
#include "compiler/barriers.h"
#include "compiler/control_flow.h"
#include "compiler/emit.h"
#include "compiler/fold.h"
#include "compiler/functions.h"
#include "compiler/link.h"
#include "compiler/lower.h"
#include "compiler/marks.h"
#include "compiler/sites.h"

namespace castor::compiler {
namespace {

/// Least register limit: fewer registers cannot hold the operands of one instruction and a call's arguments.
constexpr unsigned kFewestRegisters = 16;
/// Most registers for the arguments of one call; they lie in the first registers.
constexpr unsigned kMostArgumentRegisters = 32;
/// Threads per block that a kernel without limits in its source should support.
constexpr unsigned kLargestBlock = 1024;

/// Returns the registers per thread with which `blocks` thread blocks of `threads` threads fit an SM together.
unsigned registers_that_fit(const isa::LinkOptions& options, std::uint64_t threads, std::uint64_t blocks) {
  const std::uint64_t warps = (threads + options.lanes - 1) / options.lanes;
  const std::uint64_t per_warp = options.sm_registers / (blocks * warps);
  const std::uint64_t rounded = per_warp / options.reg_alloc_unit * options.reg_alloc_unit;
  return static_cast<unsigned>(std::min<std::uint64_t>(kMaxRegisters, rounded / options.lanes));
}

RegisterBudget register_budget(const isa::Function& kernel, const isa::LinkOptions& options) {
  RegisterBudget budget;
  budget.limit = std::min(options.max_registers, kMaxRegisters);
  if (kernel.max_registers != 0) budget.limit = std::min(budget.limit, kernel.max_registers);
  const bool machine_known = options.lanes != 0 && options.reg_alloc_unit != 0;
  const std::uint32_t* threads = kernel.max_threads[0] != 0 ? kernel.max_threads : kernel.required_threads;
  if (threads[0] != 0 && machine_known) {
    const std::uint64_t count = std::uint64_t{threads[0]} * std::max(threads[1], 1U) * std::max(threads[2], 1U);
    budget.limit = std::min(budget.limit, registers_that_fit(options, count, std::max(kernel.min_blocks, 1U)));
  } else if (!is_bounded(kernel) && machine_known) {
    budget.goal = registers_that_fit(options, kLargestBlock, 1);
  }
  budget.limit = std::max(budget.limit, kFewestRegisters);
  budget.goal = std::min(budget.limit, std::max(budget.goal, kMostArgumentRegisters + kFewestRegisters));
  return budget;
}

void set_clobbers(const Linked& linked, std::uint32_t self, const std::vector<PhysicalSet>& written, Code& code) {
  for (CallSite& site : code.calls)
    for (const std::uint32_t callee : site.callees) {
      if (linked.functions[callee].component == linked.functions[self].component) {
        site.clobbers.registers[0].set();
        site.clobbers.registers[1].set();
        site.clobbers.predicates = 0xff;
      } else {
        site.clobbers |= written[callee];
      }
    }
}

constexpr unsigned kRounds = 64;

void allocate_predicates(Code& code) {
  for (unsigned round = 0;; ++round) {
    CASTOR_ASSERT(round < kRounds, "allocation of predicates in '%s' does not end", code.function->name.c_str());
    const auto spilled = allocate(code, true, kPredicateRegisters);
    if (spilled.empty()) return;
    spill_predicates(code, spilled);
  }
}

void allocate_registers(Code& code, unsigned limit, PlaceFirst first = PlaceFirst::kEarliest) {
  for (unsigned round = 0;; ++round) {
    CASTOR_ASSERT(round < kRounds, "allocation of registers in '%s' does not end", code.function->name.c_str());
    const auto spilled = allocate(code, false, limit, first);
    if (spilled.empty()) return;
    spill_registers(code, spilled);
  }
}

/// Returns the number of registers up to the highest one that the function's own instructions use.
unsigned registers_of(const Code& code) {
  for (unsigned r = kMaxRegisters; r > 0; --r)
    if (code.used.registers[0][r - 1] || code.used.registers[1][r - 1]) return r;
  return 0;
}

/// Allocates the registers of one function. Most functions need neither spills nor more registers than the goal. Any
/// other function is first folded, so that it holds fewer values. It is then limited to the goal's registers if that
/// causes no spills, and to `limit` registers otherwise.
void allocate_all(Code& code, RegisterBudget budget) {
  allocate_predicates(code);
  const Code whole = code;
  allocate_registers(code, budget.limit);
  if (code.spill_bytes == 0 && registers_of(code) <= budget.goal) return;
  Code folded = whole;
  fold_addresses(folded);
  const auto size = [](const Code& c) { return std::make_pair(c.spill_bytes, registers_of(c)); };
  for (unsigned registers = budget.goal;; registers = budget.limit) {
    Code best;
    for (const PlaceFirst first : {PlaceFirst::kEarliest, PlaceFirst::kWidest}) {
      Code attempt = folded;
      allocate_registers(attempt, registers, first);
      if (best.insts.empty() || size(attempt) < size(best)) best = std::move(attempt);
    }
    const bool last = registers == budget.limit;
    if (last ? size(best) < size(code) : best.spill_bytes == 0) code = std::move(best);
    if (last || registers_of(code) <= registers) return;
  }
}

isa::Program compile_program(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options,
                             bool addresses_known) {
  const isa::Function* function = module.find_function(kernel);
  RegisterBudget budget{kFewestRegisters, kFewestRegisters};
  if (function != nullptr) budget = register_budget(*function, options);
  const Linked linked = link(module, kernel, options, addresses_known, argument_registers(budget.limit));
  isa::Program program = emit(linked, compile_functions(linked, budget));
  if (options.barriers) insert_barriers(program);
  if (options.marks.rule != isa::MarkRule::kOff) mark(program, options.marks);
  find_sites(program);
  return program;
}

}  // namespace

unsigned argument_registers(unsigned limit) { return std::min(limit / 2, kMostArgumentRegisters); }

std::vector<Code> compile_functions(const Linked& linked, RegisterBudget budget) {
  std::vector<Code> codes(linked.functions.size());
  std::vector<PhysicalSet> written(linked.functions.size());
  for (const std::uint32_t f : linked.bottom_up) {
    Code code = Lowering(linked, f).run();
    build_control_flow(code);
    set_clobbers(linked, f, written, code);
    allocate_all(code, budget);
    written[f] = code.used;
    for (const CallSite& site : code.calls) written[f] |= site.clobbers;
    codes[f] = std::move(code);
  }
  return codes;
}

bool is_bounded(const isa::Function& kernel) {
  return kernel.max_threads[0] != 0 || kernel.required_threads[0] != 0 || kernel.min_blocks != 0 ||
         kernel.max_registers != 0;
}

std::shared_ptr<const isa::Program> compile(const isa::Module& module, std::string_view kernel,
                                            const isa::LinkOptions& options) {
  return std::make_shared<const isa::Program>(compile_program(module, kernel, options, true));
}

isa::Program inspect(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options) {
  return compile_program(module, kernel, options, false);
}

}  // namespace castor::compiler
