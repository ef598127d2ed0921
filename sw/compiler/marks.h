#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/isa/program.h"

namespace castor::compiler {

/// Result of the marking pass, per record of the marked program.
struct MarkReport {
  std::vector<isa::Mark> classes;    ///< class of the record's result; for a branch, of its condition
  std::vector<std::string> reasons;  ///< reason why a record is not marked; empty for marked records
  std::uint32_t marked = 0;          ///< records with a mark
};

/// Marks the redundant instructions of a linked program (Yeh 2020, section 7.2; docs/marks.md). Renumbers its registers
/// so that the registers written by marked records come first. The program's results stay the same. A program without
/// redundant instructions stays unchanged.
/// `options.rule`: kSound or kSource.
MarkReport mark(isa::Program& program, const isa::MarkOptions& options);

}  // namespace castor::compiler
