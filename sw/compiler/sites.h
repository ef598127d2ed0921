#pragma once

#include "castor/isa/program.h"

namespace castor::compiler {

/// Fills isa::Program::sync.sites of a linked program: the places where a thread block may sleep and, for the first
/// isa::kMostSites of them, the registers that are live there. Other sites get all registers and predicates. Must run
/// after every pass that moves records or renumbers registers.
void find_sites(isa::Program& program);

}  // namespace castor::compiler
