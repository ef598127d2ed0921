#pragma once

#include "castor/tb_swap/ports.h"
#include "tb/common/sequence_table.h"

/// Stimulus of the swap engine (docs/blocks/tb_swap.md, "Verification").
namespace castor::tb_swap::tb {

using Sequence = twin::Sequence<Block>;
using Sequences = castor::tb::SequenceTable<Block>;

/// Returns the table of the block's sequences; the random sequences come first.
[[nodiscard]] const Sequences& sequences();

}  // namespace castor::tb_swap::tb
