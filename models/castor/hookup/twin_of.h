#pragma once

#include <memory>
#include <string>

#include "castor/gpu/machine.h"
#include "castor/twin/make_twin.h"
#include "castor/twin/rtl_builder.h"

namespace castor::hookup {

/// The twin of a block that key blocks.<slug>.engine asks for. `instance` tells it from others of the block ("sm3";
/// empty where there is one). If model and RTL differ in lockstep, the call that sees it throws MismatchError, and
/// leaves the last cycles of both sides in <slug>[-<instance>]-mismatch.vcd of the current folder
/// (docs/guides/looking.md). Errors: InputError for illegal parameters, and for RTL that cannot be built.
template <class Block>
std::unique_ptr<twin::Twin<Block>> twin_of(gpu::Engine engine, const typename Block::Params& params,
                                           const std::string& instance = {}) {
  const twin::Kind kind = engine == gpu::Engine::kModel ? twin::Kind::kModel
                          : engine == gpu::Engine::kRtl ? twin::Kind::kRtl
                                                        : twin::Kind::kLockstep;
  twin::RtlBuilder source;
  const twin::RtlOptions rtl;
  twin::LockstepOptions lockstep;
  lockstep.seed = rtl.seed;
  lockstep.waves = Block::kBlock + (instance.empty() ? "" : "-" + instance) + "-mismatch";
  lockstep.one_file = true;
  return twin::make_twin<Block>(kind, params, source, rtl, lockstep);
}

}  // namespace castor::hookup
