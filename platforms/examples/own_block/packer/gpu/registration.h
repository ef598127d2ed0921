#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/hookup/block_type.h"
#include "castor/hookup/keys.h"
#include "castor/hookup/twin_of.h"
#include "packer/engine.h"
#include "packer/gpu/adapter.h"

namespace blocks::packer {

/// Registers the block with a platform: name, keys, claims, adapter and statistics (castor/hookup/block_type.h).
class Registration final : public castor::hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override { return Block::kBlock; }

  [[nodiscard]] const std::vector<castor::base::SchemaRow>& keys() const override {
    static const std::vector<castor::base::SchemaRow> keys{castor::hookup::number_key(
        "depth", 0, "TBs", 0, 255, "thread blocks in a row for one SM; 0 = until the SM is full")};
    return keys;
  }

  [[nodiscard]] std::vector<castor::hookup::Claim> claims(const castor::hookup::Settings& /*settings*/) const override {
    return {castor::hookup::Claim::kPlacesTbs};
  }

  [[nodiscard]] std::shared_ptr<void> plug(const castor::hookup::PlugSite& site,
                                           castor::gpu::Hooks& hooks) const override {
    Params params;
    params.NumSms = site.machine.chip.sms;
    auto adapter =
        std::make_shared<Adapter>(castor::hookup::twin_of<Block>(site, params), site.settings.number("depth"));
    hooks.dispatch = adapter.get();
    return adapter;
  }

  [[nodiscard]] std::string statistics_path() const override { return "gpu.front_end.dispatch_policy"; }
  [[nodiscard]] std::shared_ptr<void> declare_statistics(castor::base::StatisticGroup& parent) const override {
    return std::make_shared<Statistics>(parent);
  }
};

}  // namespace blocks::packer
