#pragma once

#include <memory>
#include <string>

#include "castor/twin/lockstep.h"
#include "castor/twin/rtl_sets.h"

namespace castor::twin {

/// What stands behind a twin.
enum class Kind : std::uint8_t { kModel, kRtl, kLockstep };

/// "model", "rtl" or "lockstep". Throws InputError for anything else.
[[nodiscard]] Kind parse_kind(const std::string& text);
[[nodiscard]] const char* name(Kind kind);

/// The twin that somebody named. `model` takes any legal parameters; `rtl` and `lockstep` those of a parameter set.
/// Throws InputError for illegal parameters, or a set that was not built.
template <class Block>
[[nodiscard]] std::unique_ptr<Twin<Block>> make_twin(Kind kind, const typename Block::Params& params,
                                                     const RtlOptions& rtl = {}, const LockstepOptions& lockstep = {}) {
  params.check();
  if (kind == Kind::kModel) return std::make_unique<Model<Block>>(params);
  if (kind == Kind::kRtl) return make_rtl<Block>(params, rtl);
  return std::make_unique<Lockstep<Block>>(std::make_unique<Model<Block>>(params), make_rtl<Block>(params, rtl),
                                           lockstep);
}

}  // namespace castor::twin
