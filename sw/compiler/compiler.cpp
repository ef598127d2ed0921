// Kernel to program, function by function, callees first.
//
// A callee's registers are known when its callers are compiled: what a caller needs behind a call is kept out of the
// registers that the callee, or anything it calls, writes. So no function saves registers, and a program needs as many
// as its deepest chain of calls really holds. Functions that call each other in a circle (which only indirect calls can
// close) cannot be ordered so; a call inside the circle counts as writing every register, and what is needed behind it
// is spilled.

#include "compiler/compiler.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "compiler/allocate.h"
#include "compiler/control_flow.h"
#include "compiler/emit.h"
#include "compiler/functions.h"
#include "compiler/link.h"
#include "compiler/lower.h"

namespace castor::compiler {
namespace {

/// Fewer registers than this cannot hold the operands of one instruction and a call's arguments.
constexpr unsigned kFewestRegisters = 16;

unsigned register_limit(const isa::Function& kernel, const isa::LinkOptions& options) {
  unsigned limit = std::min(options.max_registers, kMaxRegisters);
  if (kernel.max_registers != 0) limit = std::min(limit, kernel.max_registers);
  const std::uint32_t* threads = kernel.max_threads[0] != 0 ? kernel.max_threads : kernel.required_threads;
  if (kernel.min_blocks != 0 && threads[0] != 0 && options.lanes != 0 && options.reg_alloc_unit != 0) {
    const std::uint64_t count = std::uint64_t{threads[0]} * std::max(threads[1], 1U) * std::max(threads[2], 1U);
    const std::uint64_t warps = (count + options.lanes - 1) / options.lanes;
    const std::uint64_t per_warp = options.sm_registers / (kernel.min_blocks * warps);
    const std::uint64_t rounded = per_warp / options.reg_alloc_unit * options.reg_alloc_unit;
    limit = static_cast<unsigned>(std::min<std::uint64_t>(limit, rounded / options.lanes));
  }
  return std::max(limit, kFewestRegisters);
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

void allocate_all(Code& code, unsigned limit) {
  constexpr unsigned kRounds = 64;
  for (unsigned round = 0;; ++round) {
    CASTOR_ASSERT(round < kRounds, "allocation of predicates in '%s' does not end", code.function->name.c_str());
    const auto spilled = allocate(code, true, kPredicateRegisters);
    if (spilled.empty()) break;
    spill_predicates(code, spilled);
  }
  for (unsigned round = 0;; ++round) {
    CASTOR_ASSERT(round < kRounds, "allocation of registers in '%s' does not end", code.function->name.c_str());
    const auto spilled = allocate(code, false, limit);
    if (spilled.empty()) break;
    spill_registers(code, spilled);
  }
}

isa::Program compile_program(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options,
                             bool addresses_known) {
  const isa::Function* function = module.find_function(kernel);
  const unsigned limit = function != nullptr ? register_limit(*function, options) : kFewestRegisters;
  const Linked linked = link(module, kernel, options, addresses_known, argument_registers(limit));
  return emit(linked, compile_functions(linked, limit));
}

}  // namespace

unsigned argument_registers(unsigned limit) { return std::min(limit / 2, 32U); }

std::vector<Code> compile_functions(const Linked& linked, unsigned limit) {
  std::vector<Code> codes(linked.functions.size());
  std::vector<PhysicalSet> written(linked.functions.size());
  for (const std::uint32_t f : linked.bottom_up) {
    Code code = Lowering(linked, f).run();
    build_control_flow(code);
    set_clobbers(linked, f, written, code);
    allocate_all(code, limit);
    written[f] = code.used;
    for (const CallSite& site : code.calls) written[f] |= site.clobbers;
    codes[f] = std::move(code);
  }
  return codes;
}

std::shared_ptr<const isa::Program> compile(const isa::Module& module, std::string_view kernel,
                                            const isa::LinkOptions& options) {
  return std::make_shared<const isa::Program>(compile_program(module, kernel, options, true));
}

isa::Program inspect(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options) {
  return compile_program(module, kernel, options, false);
}

}  // namespace castor::compiler
