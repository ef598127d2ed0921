#pragma once

#include "castor/laperm_kmu/ports.h"
#include "tb/common/sequence_table.h"

/// Stimulus of the choice of the next kernel (docs/blocks/laperm_kmu.md, "Verification").
namespace castor::laperm_kmu::tb {

using Sequence = twin::Sequence<Block>;
using Sequences = castor::tb::SequenceTable<Block>;

/// Returns the table of the block's sequences; the random sequences come first.
[[nodiscard]] const Sequences& sequences();

}  // namespace castor::laperm_kmu::tb
