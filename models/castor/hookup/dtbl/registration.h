#pragma once

#include "castor/dtbl/params.h"
#include "castor/hookup/block_type.h"

namespace castor::dtbl {

/// Registration of dynamic thread block launch (docs/gpu/launches.md, "Groups of thread blocks"). The block attaches
/// groups to resident kernels and places thread blocks first come, first served.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;

  /// Returns the block's parameters on a machine: the number of kernel table entries is the machine's; all other
  /// parameters are keys of the block.
  [[nodiscard]] static Params params(const gpu::Machine& machine, const hookup::Settings& settings);
};

}  // namespace castor::dtbl
