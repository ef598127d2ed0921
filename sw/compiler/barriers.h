#pragma once

#include <cstdint>

#include "castor/isa/program.h"

namespace castor::compiler {

/// Inserts `bar.sync 0` at the ends of those basic blocks of the kernel that all threads of a thread block reach
/// together. Such a block is controlled by redundant (DR, docs/marks.md) conditions only: a barrier under any other
/// condition would wait for threads that never arrive. Barriers do not wait for threads that have ended. No barrier is
/// inserted next to an existing one, in front of the thread's end, or inside device functions. A program with a barrier
/// other than `bar.sync 0` of the whole thread block stays unchanged. Returns the number of inserted barriers.
///
/// The pass serves the measurement with barriers at the boundaries of basic blocks in Yeh 2020, section 7.7.3. The
/// choice of the blocks is this pass's own.
std::uint32_t insert_barriers(isa::Program& program);

}  // namespace castor::compiler
