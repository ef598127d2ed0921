#pragma once

#include <memory>
#include <string>
#include <utility>

#include "castor/twin/lockstep.h"
#include "castor/twin/rtl_object.h"

namespace castor::twin {

/// Implementation behind a twin: cycle model, RTL, or both in lockstep.
enum class Kind : std::uint8_t { kModel, kRtl, kLockstep };

/// Parses "model", "rtl" or "lockstep". Throws InputError for any other text.
[[nodiscard]] Kind parse_kind(const std::string& text);
[[nodiscard]] const char* name(Kind kind);

/// Returns RTL of a block at any legal parameters. `source` finds or builds the RTL object (castor/twin/rtl_builder.h).
/// Throws InputError for illegal parameters, and as `source` and `load_rtl` do.
template <class Block>
[[nodiscard]] std::unique_ptr<Twin<Block>> make_rtl(const typename Block::Params& params, RtlSource& source,
                                                    const RtlOptions& options = {}) {
  params.check();
  return load_rtl<Block>(source.object(Block::kBlock, param_values(params), options.waves()), params, options);
}

/// Returns a twin of the given kind at any legal parameters; `source` is not used for a model. Throws the exceptions of
/// `make_rtl`.
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
