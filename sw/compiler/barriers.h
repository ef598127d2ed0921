#pragma once

#include <cstdint>

#include "castor/isa/program.h"

namespace castor::compiler {

/// Puts `bar.sync 0` at the ends of the kernel's basic blocks that all threads of a thread block reach together: those
/// that only redundant (DR, docs/marks.md) conditions control. What any other condition controls would wait for threads
/// that never come; those that have ended are not waited for. No barrier where one stands already, and in front of the
/// thread's end; none inside device functions, and none at all in a program whose own barriers are other than `bar.sync
/// 0` of the whole block. Returns their number.
///
/// What stands behind the measurement with barriers at the boundaries of basic blocks in Yeh 2020, section 7.7.3; where
/// they may stand is ours.
std::uint32_t insert_barriers(isa::Program& program);

}  // namespace castor::compiler
