#pragma once

#include "castor/dtbl/ports.h"
#include "tb/common/sequence_table.h"

/// Stimulus of the dynamic thread block launch (docs/blocks/dtbl.md, "Verification").
namespace castor::dtbl::tb {

using Sequence = twin::Sequence<Block>;
using Sequences = castor::tb::SequenceTable<Block>;

/// Returns the table of the block's sequences; the random sequences come first.
[[nodiscard]] const Sequences& sequences();

}  // namespace castor::dtbl::tb
