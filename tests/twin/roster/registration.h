#pragma once

#include <memory>
#include <vector>

#include "castor/hookup/block_type.h"
#include "castor/hookup/keys.h"
#include "tests/twin/roster/engine.h"

namespace castor::roster {

/// Answers every operation of device-wide synchronisation; with key `swaps` it also claims to swap out thread blocks
/// that wait. It has no hook, so the timing GPU does not execute the operations.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override { return Block::kBlock; }
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override {
    static const std::vector<base::SchemaRow> keys{
        hookup::flag_key("swaps", true, "1: thread blocks that wait are swapped out")};
    return keys;
  }
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override {
    std::vector<hookup::Claim> claims;
    if (settings.flag("swaps")) claims.push_back(hookup::Claim::kSwapsOutTbs);
    return claims;
  }
  [[nodiscard]] std::vector<isa::SyncOp> answers() const override {
    return {isa::SyncOp::kGridBarrier, isa::SyncOp::kReadOnly, isa::SyncOp::kWritable, isa::SyncOp::kWait,
            isa::SyncOp::kSignal};
  }
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& /*site*/, gpu::Hooks& /*hooks*/) const override {
    return std::make_shared<int>(0);
  }
};

}  // namespace castor::roster
