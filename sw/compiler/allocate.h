#pragma once

#include <cstdint>
#include <vector>

#include "compiler/intervals.h"
#include "compiler/ir.h"

namespace castor::compiler {

/// Registers that share one spill slot: (virtual register, 32-bit unit inside the slot).
struct SpillGroup {
  std::vector<std::pair<RegisterId, unsigned>> members;
  unsigned width = 1;         ///< units
  std::vector<Segment> life;  ///< in which it holds a value for some lane that executes
};

/// Which bundles choose their registers first: those whose lives begin first, or the widest, to which groups of aligned
/// registers are then left whole.
enum class PlaceFirst : std::uint8_t { kEarliest, kWidest };

/// Assigns physical registers (Code::physical) to the predicates or to all other virtual registers of a function, below
/// `limit`. Returns what has to be spilled first; empty if all have found a place.
///
/// Virtual registers are first joined to bundles: elements of vector operands side by side, and both ends of a copy in
/// the same place where their lives allow it. Bundles are then placed in the order in which their lives begin, each at
/// the lowest registers that are free during its life, holes included; where there are none, the bundles with the
/// lowest weight (uses, by loop depth, over length; a quarter of it for what can be computed again) give way. (Our
/// choice, after linear scan with lifetime holes, Traub et al., "Quality and speed in linear-scan register
/// allocation".)
///
/// `code` may get copies around vector operands that cannot be laid side by side otherwise.
[[nodiscard]] std::vector<SpillGroup> allocate(Code& code, bool predicates, unsigned limit,
                                               PlaceFirst first = PlaceFirst::kEarliest);

/// Sends registers to local memory (or computes them again where that is cheaper), predicates to 32-bit registers.
/// Groups of one call share slots where their lives allow it; local memory belongs to a lane, so waiting lanes do not
/// matter there.
void spill_registers(Code& code, const std::vector<SpillGroup>& groups);
void spill_predicates(Code& code, const std::vector<SpillGroup>& groups);

/// True if the value of a register is computed by one instruction from nothing that changes; `definition` is its index.
[[nodiscard]] std::vector<std::uint32_t> cheap_definitions(const Code& code);

}  // namespace castor::compiler
