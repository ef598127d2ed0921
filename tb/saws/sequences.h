#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "castor/saws/ports.h"
#include "castor/twin/stimulus.h"
#include "tb/common/sequence_table.h"
#include "tb/saws/knobs.h"

/// Stimulus of the warp scheduler SAWS (docs/blocks/saws.md, "Verification").
namespace castor::saws::tb {

/// The same parameters, name and seed give the same stimulus for the same outputs, whatever the twin is.
using Sequence = twin::Sequence<Block>;

using SequenceInfo = castor::tb::SequenceInfo;

/// All sequences, random ones first.
[[nodiscard]] const std::vector<SequenceInfo>& sequences();

/// A sequence by name; throws InputError, with the list of names, if there is none such. `seed` decides everything that
/// is random in it. `params` must be legal.
[[nodiscard]] std::unique_ptr<Sequence> make_sequence(std::string_view name, const Params& params, std::uint64_t seed);

/// The surroundings with knobs of one's own.
[[nodiscard]] std::unique_ptr<Sequence> make_environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

}  // namespace castor::saws::tb
