#pragma once

#include <memory>
#include <string>

#include "castor/base/error.h"
#include "castor/gpu/machine.h"
#include "castor/twin/twin.h"
#ifdef CASTOR_HAS_RTL
#include "castor/twin/make_twin.h"
#endif

namespace castor::hookup {

/// The twin of a block that key blocks.<slug>.engine asks for. `instance` tells it from others of the block ("sm3";
/// empty where there is one). If model and RTL differ in lockstep, the call that sees it throws MismatchError, and
/// leaves the last cycles of both sides in <slug>[-<instance>]-mismatch.vcd of the current folder
/// (docs/guides/looking.md). Errors: InputError for illegal parameters, and for RTL that this build does not have at
/// them, with the sets that it has.
template <class Block>
std::unique_ptr<twin::Twin<Block>> twin_of(gpu::Engine engine, const typename Block::Params& params,
                                           [[maybe_unused]] const std::string& instance = {}) {
#ifdef CASTOR_HAS_RTL
  const twin::Kind kind = engine == gpu::Engine::kModel ? twin::Kind::kModel
                          : engine == gpu::Engine::kRtl ? twin::Kind::kRtl
                                                        : twin::Kind::kLockstep;
  const twin::RtlOptions rtl;
  twin::LockstepOptions lockstep;
  lockstep.seed = rtl.seed;
  lockstep.waves = Block::kBlock + (instance.empty() ? "" : "-" + instance) + "-mismatch";
  lockstep.one_file = true;
  return twin::make_twin<Block>(kind, params, rtl, lockstep);
#else
  if (engine != gpu::Engine::kModel) {
    throw base::InputError("key blocks." + std::string(Block::kBlock) + ".engine: this build is without RTL",
                           "model, or a build with Verilator");
  }
  return std::make_unique<twin::Model<Block>>(params);
#endif
}

}  // namespace castor::hookup
