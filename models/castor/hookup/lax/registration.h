#pragma once

#include "castor/hookup/block_type.h"
#include "castor/hookup/lax/lax_control.h"

namespace castor::lax {

/// Registration of the laxity engine (docs/gpu/jobs.md, "Laxity engine"). The engine orders jobs and places their
/// thread blocks. Requires a machine with an inspector of queues.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override;
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override;
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override;
  [[nodiscard]] int window() const override { return hookup::LaxControl::kWindow; }
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override;
  [[nodiscard]] std::string statistics_path() const override;
  [[nodiscard]] std::shared_ptr<void> declare_statistics(base::StatisticGroup& parent) const override;
};

}  // namespace castor::lax
