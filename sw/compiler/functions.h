#pragma once

#include <vector>

#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler {

/// Registers that a function may have.
struct RegisterBudget {
  unsigned limit = kMaxRegisters;
  unsigned goal = kMaxRegisters;  ///< no more than these if that costs no spills; at most `limit`
};

/// Lowers all functions of a program and gives them registers; indexed as Linked::functions.
[[nodiscard]] std::vector<Code> compile_functions(const Linked& linked, RegisterBudget budget);

/// 32-bit registers that arguments, or results, of a call may take when a thread has `limit`.
[[nodiscard]] unsigned argument_registers(unsigned limit);

}  // namespace castor::compiler
