#pragma once

#include <string>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler {

/// Writes allocated functions as records of one program: lays out frames and code, collects constants, resolves branch
/// targets. Leaves out copies between identical registers. `codes`: indexed as Linked::functions.
[[nodiscard]] isa::Program emit(const Linked& linked, const std::vector<Code>& codes);

/// Returns the disassembly of one instruction over physical registers. `record`: the instruction with its final
/// operands.
[[nodiscard]] std::string spell(const Linked& linked, const Code& code, const Inst& inst, const isa::Record& record);

}  // namespace castor::compiler
