#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir.h"

namespace castor::compiler {

/// Half-open piece of a live interval. Instruction i reads at position 2 i and writes at position 2 i + 1.
struct Segment {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Live interval of a virtual register: positions from which some lane may still read the register's value. Segments
/// are ascending and disjoint.
struct Interval {
  std::vector<Segment> active;   ///< positions at which executing lanes hold the value
  std::vector<Segment> waiting;  ///< further positions at which only waiting lanes hold the value while others execute
};

/// Live intervals, one per virtual register; empty for a register that no instruction uses.
using Intervals = std::vector<Interval>;

/// Returns the live intervals of a function's predicates, or of its other registers. The control flow of `code` must
/// have been computed.
[[nodiscard]] Intervals live_intervals(const Code& code, bool predicates);

[[nodiscard]] bool overlap(const std::vector<Segment>& a, const std::vector<Segment>& b);
void unite(std::vector<Segment>& into, const std::vector<Segment>& other);

}  // namespace castor::compiler
