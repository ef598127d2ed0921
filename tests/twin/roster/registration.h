#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "castor/hookup/block_type.h"
#include "castor/hookup/keys.h"
#include "tests/common/sync_model.h"
#include "tests/twin/roster/engine.h"

namespace castor::roster {

/// Hub and agents of the block, which are plain models.
struct Models {
  template <class In, class Out>
  struct Named : gpu::test::PlainHook<In, Out> {
    [[nodiscard]] const char* block() const override { return Block::kBlock; }
  };
  gpu::test::SyncModelHub<Named<gpu::HubIn, gpu::HubOut>> hub;
  std::deque<gpu::test::SyncModelAgent<Named<gpu::AgentIn, gpu::AgentOut>>> agents;
};

/// Answers every operation of device-wide synchronisation. With key `swaps` it claims to swap out thread blocks that
/// wait, which only the functional machine does. With key `hub` the timing GPU has a hub and agents.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override { return Block::kBlock; }
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override {
    static const std::vector<base::SchemaRow> keys{
        hookup::flag_key("swaps", true, "1: thread blocks that wait are swapped out"),
        hookup::flag_key("hub", true, "1: a hub and agents on the timing GPU"),
        hookup::number_key("away", 100'000, "TBs", 0, 1'000'000, "thread blocks that can be swapped out at once"),
        hookup::number_key("state", 0, "bytes", 0, 1 << 20,
                           "state of a swapped-out thread block in device memory; 0: none is kept there")};
    return keys;
  }
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& settings) const override {
    std::vector<hookup::Claim> claims = {hookup::Claim::kSynchronises};
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
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override {
    auto models = std::make_shared<Models>();
    if (!site.settings.flag("hub")) return models;
    hooks.hub = &models->hub;
    models->agents.resize(site.machine.chip.sms);
    for (auto& agent : models->agents) hooks.agents.push_back(&agent);
    return models;
  }
};

}  // namespace castor::roster
