#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir.h"

namespace castor::compiler {

/// Cuts a lowered function into basic blocks in source order, drops what cannot be reached, turns branch targets and
/// tables into block numbers, and finds loops and reconvergence points.
void build_control_flow(Code& code);

/// Immediate post-dominator of every block; kNoIndex where paths meet only when they leave the function.
///
/// Only `exits` count as ends: a path that stops otherwise (trap, exit inside a function, a call that does not return,
/// an endless loop) never comes to a reconvergence point, and its lanes do not keep the others from theirs. Where no
/// path from a block comes to one of `exits`, the paths to `stops` count instead, and below these endless loops.
/// Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", on the reversed graph.
/// `exits`, `stops`: one flag per block.
[[nodiscard]] std::vector<std::uint32_t> post_dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                                                         const std::vector<bool>& exits,
                                                         const std::vector<bool>& stops);

/// Blocks that lanes of a warp may run through between a branch at the end of `block` and the point where they meet.
[[nodiscard]] std::vector<std::uint32_t> divergent_region(const Code& code, std::uint32_t block);

}  // namespace castor::compiler
