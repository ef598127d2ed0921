#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Rewrites loops that retry a lock in unoptimised device code, which is given as LLVM IR printed by clang 14
/// (docs/decisions/lock-loops.md).
///
/// In a lock loop the lane that gets the lock also releases it inside the loop:
///
///     while (!done) { if (atomicCAS(&lock, 0, 1) == 0) { ...; atomicExch(&lock, 0); done = true; } }
///
/// The lanes of a warp reconverge at the immediate post-dominator of the branch on the lock's old value. This block
/// must lie inside the loop. Otherwise the lanes without the lock spin while the lock's owner waits for them. A `break`
/// or `return` in the branch of the lock's owner moves the post-dominator behind the loop. The optimiser's jump
/// threading does the same if the branch sets a flag.
///
/// This pass adds a block at the end of a lock loop, which all back edges enter. An edge that leaves the loop after the
/// acquisition stores its number and enters that block too. The block branches by this number to the loop's head or to
/// the original target of the edge. An empty inline assembly with the attribute `convergent` keeps the optimiser from
/// duplicating the block.
///
/// All other functions, and loops with an unknown spelling, stay unchanged.
[[nodiscard]] std::string keep_lock_releases(std::string_view ir);

/// Rewrites all parts of a program together, so that functions that take or release a lock are known in all parts. A
/// name of a function with code must mean the same function in all parts.
void keep_lock_releases(std::vector<std::string>& parts);

}  // namespace castor::castor_cc
