#pragma once

#include <memory>
#include <string>

#include "castor/base/error.h"
#include "castor/hookup/block_type.h"
#include "castor/twin/make_twin.h"

namespace castor::hookup {

/// Returns the twin of a block that key blocks.<block>.engine selects, at these parameters. `instance` distinguishes
/// several twins of a block ("sm3"; empty if there is only one). If model and RTL differ in lockstep, the call that
/// detects it throws MismatchError and writes the last cycles of both to <block>[-<instance>]-mismatch.vcd in the
/// working folder (docs/guides/looking.md). Key blocks.<block>.wave_depth adds internal signals of the RTL to these
/// waves and to those of the machine. Throws InputError for illegal parameters, for RTL that cannot be built, and for a
/// wave_depth without RTL.
template <class Block>
std::unique_ptr<twin::Twin<Block>> twin_of(const PlugSite& site, const typename Block::Params& params,
                                           const std::string& instance = {}) {
  const twin::Kind kind = site.settings.engine();
  twin::RtlOptions rtl;
  rtl.wave_depth = site.settings.number("wave_depth");
  rtl.inside = rtl.wave_depth != 0;
  if (rtl.inside && kind == twin::Kind::kModel) {
    throw base::InputError(site.settings.at("wave_depth").where(),
                           std::string("blocks.") + Block::kBlock + ".wave_depth is " + std::to_string(rtl.wave_depth) +
                               ", and the block is a model: it has no RTL to show",
                           std::string("blocks.") + Block::kBlock + ".engine=rtl or lockstep");
  }
  twin::LockstepOptions lockstep;
  lockstep.seed = rtl.seed;
  lockstep.waves = Block::kBlock + (instance.empty() ? "" : "-" + instance) + "-mismatch";
  lockstep.one_file = true;
  return twin::make_twin<Block>(kind, params, site.rtl, rtl, lockstep);
}

}  // namespace castor::hookup
