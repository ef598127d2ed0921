#pragma once

#include "castor/darsie/ports.h"
#include "tb/common/sequence_table.h"

/// Stimulus of the skip table and renamer DARSIE (docs/blocks/darsie.md, "Verification").
namespace castor::darsie::tb {

using Sequence = twin::Sequence<Block>;
using Sequences = castor::tb::SequenceTable<Block>;

/// Returns the table of the block's sequences; the random sequences come first.
[[nodiscard]] const Sequences& sequences();

}  // namespace castor::darsie::tb
