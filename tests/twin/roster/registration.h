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
        hookup::flag_key("swaps", true, "1: thread blocks that wait are swapped out"),
        hookup::number_key("away", 100'000, "TBs", 0, 1'000'000, "thread blocks that can be swapped out at once"),
        hookup::number_key("state", 0, "bytes", 0, 1 << 20,
                           "state of a swapped-out thread block in device memory; 0: none is kept there")};
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
  [[nodiscard]] gpu::SwapLimits swap_limits(const hookup::Settings& settings) const override {
    gpu::SwapLimits limits;
    limits.away = settings.number("away");
    limits.block_bytes = static_cast<std::uint32_t>(settings.number("state"));
    limits.images = limits.block_bytes != 0;
    return limits;
  }
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& /*site*/, gpu::Hooks& /*hooks*/) const override {
    return std::make_shared<int>(0);
  }
};

}  // namespace castor::roster
