#pragma once

#include <cstdint>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/program_flow.h"

namespace castor::compiler {

/// Which registers marked records may write, and how a program is renumbered so that they come first.
struct Renaming {
  std::vector<std::uint16_t> number;  ///< per register of the program before: its number now
  std::uint32_t renamed = 0;          ///< registers 0 to that - 1 may be written by marked records
};

/// Chooses the registers that are renamed: those that `marked` records write, ranked by the sum over these records of
/// 10 to the power of the loops around them, of equal ones the lower number first, as many as
/// `options.most_renamed` allows. Registers that are used as one (64-bit values, vectors) stay together and keep their
/// alignment, and no more registers are needed than before. Not admitted: a register that a record writes under a guard
/// or together with more than one other, and one too many for a record that reads more than isa::kMostRenamedRead.
/// `marked`: per record, whether it could be marked.
[[nodiscard]] Renaming choose_renaming(const isa::Program& program, const ProgramFlow& flow,
                                       const std::vector<bool>& marked, const isa::MarkOptions& options);

/// Registers that no marked record may write: per register the record that forbids it, or kNoIndex.
[[nodiscard]] std::vector<std::uint32_t> barred_registers(const isa::Program& program);

/// Gives every register of a program its new number: records, disassembly, count of registers.
void renumber(isa::Program& program, const Renaming& renaming);

}  // namespace castor::compiler
