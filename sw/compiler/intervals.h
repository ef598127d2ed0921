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

/// Where every virtual register holds a value that some lane may still read: segments in ascending order, disjoint.
/// Registers that no instruction names have none.
using Intervals = std::vector<std::vector<Segment>>;

/// Liveness of the registers of one kind (predicates or the others) in a function with control flow.
[[nodiscard]] Intervals live_intervals(const Code& code, bool predicates);

[[nodiscard]] bool overlap(const std::vector<Segment>& a, const std::vector<Segment>& b);
void unite(std::vector<Segment>& into, const std::vector<Segment>& other);

}  // namespace castor::compiler
