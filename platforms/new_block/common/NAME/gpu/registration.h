#pragma once

#include <memory>
#include <string>
#include <vector>

#include "@NAME@/engine.h"
#include "@NAME@/gpu/adapter.h"
#include "@NAME@/gpu/statistics.h"
#include "castor/hookup/block_type.h"
#include "castor/hookup/keys.h"

namespace blocks::@NAME@ {

/// All that a platform learns of the block (castor/hookup/block_type.h).
class Registration final : public castor::hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override { return Block::kBlock; }

  /// Keys below blocks.@NAME@, beside `enable` and `engine`: rows of castor/hookup/keys.h, which
  /// site.settings.number("...") reads in `plug`.
  [[nodiscard]] const std::vector<castor::base::SchemaRow>& keys() const override {
    static const std::vector<castor::base::SchemaRow> keys{};
    return keys;
  }

  /// What it does to a machine; two blocks that claim the same exclude each other.
  [[nodiscard]] std::vector<castor::hookup::Claim> claims(const castor::hookup::Settings& /*settings*/) const override {
    return {castor::hookup::Claim::@CLAIM@};
  }

  /// Makes twins and adapters; what is returned owns them.
  [[nodiscard]] std::shared_ptr<void> plug(const castor::hookup::PlugSite& site,
                                           castor::gpu::Hooks& hooks) const override {
    return plug_adapters(site, hooks);
  }

  [[nodiscard]] std::string statistics_path() const override { return "@STATISTICS@"; }
  [[nodiscard]] std::shared_ptr<void> declare_statistics(castor::base::StatisticGroup& parent) const override {
    return std::make_shared<Statistics>(parent);
  }
};

}  // namespace blocks::@NAME@
