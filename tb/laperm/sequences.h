#pragma once

#include "castor/laperm/ports.h"
#include "tb/common/sequence_table.h"

/// Stimulus of the scheduler LaPerm (docs/blocks/laperm.md, "Verification").
namespace castor::laperm::tb {

using Sequence = twin::Sequence<Block>;
using Sequences = castor::tb::SequenceTable<Block>;

/// Returns the table of the block's sequences; the random sequences come first.
[[nodiscard]] const Sequences& sequences();

}  // namespace castor::laperm::tb
