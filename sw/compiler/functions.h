#pragma once

#include <vector>

#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler {

/// Lowers all functions of a program and gives them registers below `limit`; indexed as Linked::functions.
[[nodiscard]] std::vector<Code> compile_functions(const Linked& linked, unsigned limit);

/// 32-bit registers that arguments, or results, of a call may take when a thread has `limit`.
[[nodiscard]] unsigned argument_registers(unsigned limit);

}  // namespace castor::compiler
