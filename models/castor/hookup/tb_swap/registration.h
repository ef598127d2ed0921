#pragma once

#include "castor/hookup/block_type.h"
#include "castor/tb_swap/params.h"

namespace castor::tb_swap {

/// Registration of the swap engine of every SM (docs/gpu/swapping.md).
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] gpu::SwapLimits swap_limits(const hookup::Settings& settings) const override;
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;

  /// Returns the block's parameters on a machine: the number of TB contexts is the machine's; the numbers of homes,
  /// places and read-only segments are keys of the block. Throws InputError for parameters that the block does not
  /// support.
  [[nodiscard]] static Params params(const gpu::Machine& machine, const hookup::Settings& settings);
};

}  // namespace castor::tb_swap
