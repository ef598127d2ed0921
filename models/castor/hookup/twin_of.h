#pragma once

#include <memory>
#include <string>

#include "castor/hookup/block_type.h"
#include "castor/twin/make_twin.h"

namespace castor::hookup {

/// The twin of a block that key blocks.<block>.engine asks for, at these parameters. `instance` tells it from others of
/// the block ("sm3"; empty where there is one). If model and RTL differ in lockstep, the call that sees it throws
/// MismatchError, and leaves the last cycles of both sides in <block>[-<instance>]-mismatch.vcd of the current folder
/// (docs/guides/looking.md). Errors: InputError for illegal parameters, and for RTL that cannot be made.
template <class Block>
std::unique_ptr<twin::Twin<Block>> twin_of(const PlugSite& site, const typename Block::Params& params,
                                           const std::string& instance = {}) {
  const twin::RtlOptions rtl;
  twin::LockstepOptions lockstep;
  lockstep.seed = rtl.seed;
  lockstep.waves = Block::kBlock + (instance.empty() ? "" : "-" + instance) + "-mismatch";
  lockstep.one_file = true;
  return twin::make_twin<Block>(site.settings.engine(), params, site.rtl, rtl, lockstep);
}

}  // namespace castor::hookup
