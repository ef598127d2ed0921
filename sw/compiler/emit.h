#pragma once

#include <string>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler {

/// Writes allocated functions as records of one program: frames and code laid out, constants collected, branch targets
/// resolved. Copies that allocation has made pointless are left out. `codes`: indexed as Linked::functions.
[[nodiscard]] isa::Program emit(const Linked& linked, const std::vector<Code>& codes);

/// Disassembly of one instruction over physical registers. `record` has its final operands.
[[nodiscard]] std::string spell(const Linked& linked, const Code& code, const Inst& inst, const isa::Record& record);

}  // namespace castor::compiler
