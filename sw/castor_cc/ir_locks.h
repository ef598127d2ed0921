#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Rewrites loops that retry a lock in unoptimised device code, given as clang 14 prints it
/// (docs/decisions/lock-loops.md).
///
/// A lock loop is written so that the lane that gets the lock releases it inside the loop:
///
///     while (!done) { if (atomicCAS(&lock, 0, 1) == 0) { ...; atomicExch(&lock, 0); done = true; } }
///
/// The lanes of a warp meet where the branch on the lock's old value reconverges, at its immediate post-dominator. That
/// must lie inside the loop, or the lanes without the lock spin while its owner waits for them. A `break` or `return`
/// in the owner's branch puts it behind the loop, and so does the optimiser's jump threading where the branch sets a
/// flag.
///
/// A lock loop gets a block at its end, which all its back edges enter. Edges that leave the loop behind the
/// acquisition store their number and enter that block as well; it branches by the number to the loop's head or to
/// where the edge went. An empty inline assembly with the attribute `convergent` keeps the optimiser from duplicating
/// the block.
///
/// All other functions stay as they are to the letter, and so do loops with a spelling that is unknown here.
[[nodiscard]] std::string keep_lock_releases(std::string_view ir);

/// The same for the parts of a program together: functions of one part that take or release a lock are known in the
/// others. Names of functions with code must mean the same in all.
void keep_lock_releases(std::vector<std::string>& parts);

}  // namespace castor::castor_cc
