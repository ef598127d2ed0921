#pragma once

#include "castor/lax/ports.h"
#include "tb/common/sequence_table.h"

/// Stimulus of the laxity engine (docs/blocks/lax.md, "Use").
namespace castor::lax::tb {

using Sequence = twin::Sequence<Block>;
using Sequences = castor::tb::SequenceTable<Block>;

/// Returns the table of the block's sequences; the random sequences come first.
[[nodiscard]] const Sequences& sequences();

}  // namespace castor::lax::tb
