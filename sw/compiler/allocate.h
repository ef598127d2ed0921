#pragma once

#include <cstdint>
#include <vector>

#include "compiler/intervals.h"
#include "compiler/ir.h"

namespace castor::compiler {

/// Group of spilled virtual registers that share one spill slot.
struct SpillGroup {
  std::vector<std::pair<RegisterId, unsigned>> members;  ///< virtual register, 32-bit unit inside the slot
  unsigned width = 1;                                    ///< size of the slot in 32-bit units
  std::vector<Segment> life;  ///< segments in which the slot holds a value for some lane that executes
};

/// Order in which bundles choose their registers: by the begin of their lives, or widest first. With widest first, wide
/// bundles still find runs of aligned registers.
enum class PlaceFirst : std::uint8_t { kEarliest, kWidest };

/// Assigns physical registers below `limit` (Code::physical) to the virtual registers of a function: to its predicates
/// or to all others. Returns the groups that must be spilled first; an empty result means that every register has its
/// place.
///
/// Virtual registers are first joined to bundles. The elements of a vector operand become neighbours, and both ends of
/// a copy share a register if their lives allow it. Bundles are then placed in the order in which their lives begin.
/// Each takes the lowest registers that are free during its life; holes of other lives count as free. If no registers
/// are free, the bundles with the lowest weight are spilled. The weight is the number of uses, scaled by loop depth,
/// over the length of the life; for a value that can be recomputed, the weight is a quarter of that. The method follows
/// linear scan with lifetime holes (Traub et al., "Quality and speed in linear-scan register allocation").
///
/// Inserts copies into `code` around vector operands that cannot become neighbours otherwise.
[[nodiscard]] std::vector<SpillGroup> allocate(Code& code, bool predicates, unsigned limit,
                                               PlaceFirst first = PlaceFirst::kEarliest);

/// Spills general registers to local memory; a value that is cheap to compute is recomputed instead. Groups of one call
/// share slots if their lives allow it. Local memory belongs to one lane, so the lives of waiting lanes do not matter
/// for slots.
void spill_registers(Code& code, const std::vector<SpillGroup>& groups);
/// Spills predicates to 32-bit registers.
void spill_predicates(Code& code, const std::vector<SpillGroup>& groups);

/// Returns, per virtual register, the index of the one instruction that computes its value from constants, parameters
/// or special registers. kNoIndex: the register has no such definition.
[[nodiscard]] std::vector<std::uint32_t> cheap_definitions(const Code& code);

}  // namespace castor::compiler
