#pragma once

#include "castor/hookup/block_type.h"
#include "castor/laperm/params.h"

namespace castor::laperm {

/// Registration of locality-aware thread block scheduling (docs/gpu/launches.md, "Locality-aware scheduling"). The
/// block places thread blocks of child kernels before others, on the SM of their parent.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;

  /// Returns the block's parameters on a machine. The numbers of SMs and of kernel table entries are the machine's; all
  /// other parameters are keys of the block.
  [[nodiscard]] static Params params(const gpu::Machine& machine, const hookup::Settings& settings);
};

}  // namespace castor::laperm
