#pragma once

#include <vector>

#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler {

/// Limits on the registers of a function.
struct RegisterBudget {
  unsigned limit = kMaxRegisters;
  unsigned goal = kMaxRegisters;  ///< number of registers to be exceeded only to avoid spills; at most `limit`
};

/// Lowers all functions of a program and allocates their registers. Returns them indexed as Linked::functions.
[[nodiscard]] std::vector<Code> compile_functions(const Linked& linked, RegisterBudget budget);

/// Returns the most 32-bit registers for the arguments, or the results, of a call if a thread has `limit` registers.
[[nodiscard]] unsigned argument_registers(unsigned limit);

}  // namespace castor::compiler
