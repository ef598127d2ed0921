#pragma once

#include "castor/hookup/block_type.h"
#include "castor/saws/params.h"

namespace castor::saws {

/// The warp schedulers of every SM (docs/gpu/sm.md, "Warp schedulers"). Needs SMs whose schedulers issue from one warp
/// per tick.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;

  /// Parameters on a machine: schedulers and warps are the machine's, the rest keys. Errors: InputError for parameters
  /// that the block does not have.
  [[nodiscard]] static Params params(const gpu::Machine& machine, const hookup::Settings& settings);
};

}  // namespace castor::saws
