#pragma once

#include "castor/hookup/block_type.h"
#include "castor/saws/params.h"

namespace castor::saws {

/// Registration of the warp schedulers of every SM (docs/gpu/sm.md, "Warp schedulers"). Requires SMs whose schedulers
/// issue from one warp per tick.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;

  /// Returns the block's parameters on a machine: the numbers of schedulers and warps are the machine's; all other
  /// parameters are keys of the block. Throws InputError for parameters that the block does not support.
  [[nodiscard]] static Params params(const gpu::Machine& machine, const hookup::Settings& settings);
};

}  // namespace castor::saws
