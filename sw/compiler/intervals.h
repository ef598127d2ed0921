#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir.h"

namespace castor::compiler {

/// Piece of a live interval, half open. Instruction i reads at 2 i and writes at 2 i + 1.
struct Segment {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Where a virtual register holds a value that some lane may still read: segments in ascending order, disjoint.
struct Interval {
  std::vector<Segment> active;   ///< for lanes that execute
  std::vector<Segment> waiting;  ///< further places: only for lanes that wait elsewhere while others execute
};

/// One per virtual register; empty for those that no instruction names.
using Intervals = std::vector<Interval>;

/// Liveness of the registers of one kind (predicates or the others) in a function with control flow.
[[nodiscard]] Intervals live_intervals(const Code& code, bool predicates);

[[nodiscard]] bool overlap(const std::vector<Segment>& a, const std::vector<Segment>& b);
void unite(std::vector<Segment>& into, const std::vector<Segment>& other);

}  // namespace castor::compiler
