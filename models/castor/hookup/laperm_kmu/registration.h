#pragma once

#include "castor/hookup/block_type.h"
#include "castor/laperm_kmu/params.h"

namespace castor::laperm_kmu {

/// Registration of the launcher's kernel choice (docs/gpu/launches.md, "Locality-aware scheduling"). The block decides
/// which launch by device code enters the kernel table next, by level and by SM of the parent.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;

  /// Returns the block's parameters on a machine: the numbers of SMs and queues are the machine's; all other parameters
  /// are keys of the block.
  [[nodiscard]] static Params params(const gpu::Machine& machine, const hookup::Settings& settings);
};

}  // namespace castor::laperm_kmu
