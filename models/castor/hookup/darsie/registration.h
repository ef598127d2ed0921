#pragma once

#include "castor/darsie/params.h"
#include "castor/hookup/block_type.h"

namespace castor::darsie {

/// Registration of the skip table and renamer of every SM (docs/gpu/fetch-filter.md, "FetchFilter"). Requires SMs that
/// fetch one warp per tick, with 32 lanes and at most 16 register banks.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::shared_ptr<gpu::ExecutionStudy> study(const hookup::Settings& settings) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;

  /// Returns the block's parameters on a machine: warps, TB contexts, issue, decode and register file are the
  /// machine's; all other parameters are keys of the block. Throws InputError, with key and value, for a machine that
  /// the block does not fit.
  [[nodiscard]] static Params params(const gpu::Machine& machine, const hookup::Settings& settings);
};

}  // namespace castor::darsie
