#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/isa/program.h"

namespace castor::compiler {

/// What the marking pass found, per record of the marked program.
struct MarkReport {
  std::vector<isa::Mark> classes;    ///< of the result; of a branch, of its condition
  std::vector<std::string> reasons;  ///< of every record that is not marked; empty for the others
  std::uint32_t marked = 0;          ///< records with a mark
};

/// Marks the redundant instructions of a linked program (Yeh 2020, section 7.2; docs/marks.md) and renumbers its
/// registers so that those that marked records write are the first. The program then computes what it did before. A
/// program in which nothing is redundant stays as it is.
/// `options.rule`: kSound or kSource.
MarkReport mark(isa::Program& program, const isa::MarkOptions& options);

}  // namespace castor::compiler
