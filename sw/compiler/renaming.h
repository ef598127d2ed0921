#pragma once

#include <cstdint>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/program_flow.h"

namespace castor::compiler {

/// Renumbering of a program's registers, after which the registers that marked records may write come first.
struct Renaming {
  std::vector<std::uint16_t> number;  ///< new number of each old register
  std::uint32_t renamed = 0;          ///< registers 0 to `renamed` - 1 may be written by marked records
};

/// Chooses the registers to rename among the registers that `marked` records write. A register's rank is the sum, over
/// these records, of 10 to the power of the loop depth; equal ranks are ordered by register number. At most
/// `options.most_renamed` registers are chosen. Registers used together (64-bit values, vectors) stay together and keep
/// their alignment. The program needs no more registers than before. A register is not admitted if a record writes it
/// under a guard, or together with more registers than isa::kMostRenamedWritten allows. A register is not admitted
/// either if some record would then read more than isa::kMostRenamedRead renamed registers. `marked`: per record,
/// whether it could be marked.
[[nodiscard]] Renaming choose_renaming(const isa::Program& program, const ProgramFlow& flow,
                                       const std::vector<bool>& marked, const isa::MarkOptions& options);

/// Returns, per register, the record because of which marked records must not write the register, or kNoIndex if there
/// is none.
[[nodiscard]] std::vector<std::uint32_t> barred_registers(const isa::Program& program);

/// Applies the new register numbers to a program's records, its disassembly and its register count.
void renumber(isa::Program& program, const Renaming& renaming);

}  // namespace castor::compiler
