#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir.h"

namespace castor::compiler {

/// Builds the control-flow graph of a lowered function. Cuts the function into basic blocks in source order, drops
/// unreachable blocks, turns branch targets and tables into block numbers, and finds loops and reconvergence points.
void build_control_flow(Code& code);

/// Blocks at which paths through a function end; one flag per block.
struct PathEnds {
  explicit PathEnds(std::size_t blocks) : exits(blocks), stops(blocks), faults(blocks) {}
  std::vector<bool> exits;   ///< block ends the function for all its lanes
  std::vector<bool> stops;   ///< block ends with a guarded exit, or with an exit of the thread inside a function
  std::vector<bool> faults;  ///< block ends with a trap, a failed assertion or a call that does not return
};

/// Returns the immediate post-dominator of every block; kNoIndex if the paths from the block meet only at the
/// function's end.
///
/// Only `ends.exits` count as ends. A path that stops otherwise (exit inside a function, trap, call that does not
/// return, endless loop) never reaches a reconvergence point. Its lanes do not keep other lanes from reconverging. If
/// no path from a block reaches `exits`, paths to `stops` count instead; after these, paths to `faults`, and then
/// endless loops. Algorithm: Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", on the
/// reversed graph.
[[nodiscard]] std::vector<std::uint32_t> post_dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                                                         const PathEnds& ends);

/// Returns the blocks that lanes may execute between a branch at the end of `block` and its reconvergence point.
[[nodiscard]] std::vector<std::uint32_t> divergent_region(const Code& code, std::uint32_t block);

}  // namespace castor::compiler
