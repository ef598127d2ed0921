#pragma once

#include "castor/hookup/block_type.h"
#include "castor/laperm/params.h"

namespace castor::laperm {

/// Locality-aware thread block scheduling for a GPU (docs/gpu/launches.md, "Locality-aware scheduling"): it places
/// thread blocks of children before others, on the SM of their parent.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;

  /// Parameters of the block on a machine: SMs and entries of the kernel table are the machine's, the rest its keys.
  [[nodiscard]] static Params params(const gpu::Machine& machine, const hookup::Settings& settings);
};

}  // namespace castor::laperm
