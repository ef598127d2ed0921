#pragma once

#include <memory>
#include <string>
#include <utility>

#include "castor/twin/lockstep.h"
#include "castor/twin/rtl_object.h"

namespace castor::twin {

/// What stands behind a twin.
enum class Kind : std::uint8_t { kModel, kRtl, kLockstep };

/// "model", "rtl" or "lockstep". Throws InputError for anything else.
[[nodiscard]] Kind parse_kind(const std::string& text);
[[nodiscard]] const char* name(Kind kind);

/// RTL of a block at any legal parameters, from where `source` finds or makes it (castor/twin/rtl_builder.h). Errors:
/// InputError for illegal parameters, and those of the source and of `load_rtl`.
template <class Block>
[[nodiscard]] std::unique_ptr<Twin<Block>> make_rtl(const typename Block::Params& params, RtlSource& source,
                                                    const RtlOptions& options = {}) {
  params.check();
  return load_rtl<Block>(source.object(Block::kBlock, param_values(params), options.waves()), params, options);
}

/// The twin that somebody named, at any legal parameters; `source` is not asked for a model. Errors: as `make_rtl`.
template <class Block>
[[nodiscard]] std::unique_ptr<Twin<Block>> make_twin(Kind kind, const typename Block::Params& params, RtlSource& source,
                                                     const RtlOptions& options = {},
                                                     const LockstepOptions& lockstep = {}) {
  params.check();
  if (kind == Kind::kModel) return std::make_unique<Model<Block>>(params);
  auto rtl = make_rtl<Block>(params, source, options);
  if (kind == Kind::kRtl) return rtl;
  return std::make_unique<Lockstep<Block>>(std::make_unique<Model<Block>>(params), std::move(rtl), lockstep);
}

}  // namespace castor::twin
