#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir.h"

namespace castor::compiler {

/// Cuts a lowered function into basic blocks in source order, drops what cannot be reached, turns branch targets and
/// tables into block numbers, and finds loops and reconvergence points.
void build_control_flow(Code& code);

/// Blocks at which paths end; one flag per block.
struct PathEnds {
  explicit PathEnds(std::size_t blocks) : exits(blocks), stops(blocks), faults(blocks) {}
  std::vector<bool> exits;   ///< the end of the function
  std::vector<bool> stops;   ///< an exit that lanes may pass, or of the whole thread from inside a function
  std::vector<bool> faults;  ///< a trap, a failed assertion, a call that does not return
};

/// Immediate post-dominator of every block; kNoIndex where paths meet only when they leave the function.
///
/// Only `ends.exits` count as ends: a path that stops otherwise (exit inside a function, trap, a call that does not
/// return, an endless loop) never comes to a reconvergence point, and its lanes do not keep the others from theirs.
/// Where no path from a block comes to one of `exits`, the paths to `stops` count instead, below these those to
/// `faults`, and below these endless loops. Lengauer and Tarjan, "A fast algorithm for finding dominators in a
/// flowgraph", on the reversed graph.
[[nodiscard]] std::vector<std::uint32_t> post_dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                                                         const PathEnds& ends);

/// Blocks that lanes of a warp may run through between a branch at the end of `block` and the point where they meet.
[[nodiscard]] std::vector<std::uint32_t> divergent_region(const Code& code, std::uint32_t block);

}  // namespace castor::compiler
