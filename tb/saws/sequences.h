#pragma once

#include "castor/saws/ports.h"
#include "tb/common/sequence_table.h"

/// Stimulus of the warp scheduler SAWS (docs/blocks/saws.md, "Verification").
namespace castor::saws::tb {

using Sequence = twin::Sequence<Block>;
using Sequences = castor::tb::SequenceTable<Block>;

/// Returns the table of the block's sequences; the random sequences come first.
[[nodiscard]] const Sequences& sequences();

}  // namespace castor::saws::tb
