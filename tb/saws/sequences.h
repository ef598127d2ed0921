#pragma once

#include "castor/saws/ports.h"
#include "tb/common/sequence_table.h"

/// Stimulus of the warp scheduler SAWS (docs/blocks/saws.md, "Verification").
namespace castor::saws::tb {

using Sequence = twin::Sequence<Block>;
using Sequences = castor::tb::SequenceTable<Block>;

/// Returns the table of all sequences, random ones first.
[[nodiscard]] const Sequences& sequences();

}  // namespace castor::saws::tb
