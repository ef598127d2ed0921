#pragma once

#include <memory>

#include "castor/base/error.h"
#include "castor/gpu/machine.h"
#include "castor/twin/twin.h"
#ifdef CASTOR_HAS_RTL
#include "castor/twin/make_twin.h"
#endif

namespace castor::hookup {

/// The twin of a block that key blocks.<slug>.engine asks for. Errors: InputError for illegal parameters, and for RTL
/// that this build does not have at them, with the sets that it has.
template <class Block>
std::unique_ptr<twin::Twin<Block>> twin_of(gpu::Engine engine, const typename Block::Params& params) {
#ifdef CASTOR_HAS_RTL
  const twin::Kind kind = engine == gpu::Engine::kModel ? twin::Kind::kModel
                          : engine == gpu::Engine::kRtl ? twin::Kind::kRtl
                                                        : twin::Kind::kLockstep;
  return twin::make_twin<Block>(kind, params);
#else
  if (engine != gpu::Engine::kModel) {
    throw base::InputError("key blocks." + std::string(Block::kBlock) + ".engine: this build is without RTL",
                           "model, or a build with Verilator");
  }
  return std::make_unique<twin::Model<Block>>(params);
#endif
}

}  // namespace castor::hookup
