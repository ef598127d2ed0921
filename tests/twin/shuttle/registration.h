#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "castor/hookup/block_type.h"
#include "castor/hookup/keys.h"
#include "tests/common/random_swap_engine.h"
#include "tests/twin/shuttle/engine.h"

namespace castor::shuttle {

/// Plugs a RandomSwapEngine into every SM.
class Registration final : public hookup::BlockType {
 public:
  [[nodiscard]] const char* name() const override { return Block::kBlock; }
  [[nodiscard]] const std::vector<base::SchemaRow>& keys() const override {
    static const std::vector<base::SchemaRow> keys{
        hookup::number_key("seed", 1, "number", 0, 1000000, "seed of the order of the lines and of the pauses"),
        hookup::number_key("pause", 3, "ticks", 0, 1000, "longest pause between two accesses"),
        hookup::flag_key("live", false, "1: only registers that are live at the site of a move are moved"),
        hookup::number_key("segments", 0, "segments", 0, 8, "most read-only segments of a thread block"),
        hookup::flag_key("stay", false, "1: thread blocks that wait may stay in their SM")};
    return keys;
  }
  [[nodiscard]] std::vector<hookup::Claim> claims(const hookup::Settings& /*settings*/) const override {
    return {hookup::Claim::kMovesContexts, hookup::Claim::kSwapsOutTbs, hookup::Claim::kNeedsExecution};
  }
  [[nodiscard]] gpu::SwapLimits swap_limits(const hookup::Settings& settings) const override {
    gpu::SwapLimits limits = gpu::test::RandomSwapEngine::limits();
    limits.live_registers = settings.flag("live");
    return limits;
  }
  [[nodiscard]] std::shared_ptr<void> plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const override {
    gpu::test::RandomSwapEngine::Options options;
    options.seed = site.settings.number("seed");
    options.longest_pause = static_cast<unsigned>(site.settings.number("pause"));
    options.live = site.settings.flag("live");
    options.segments = static_cast<std::uint8_t>(site.settings.number("segments"));
    if (!site.settings.flag("stay")) options.homes = options.places = options.queue = 0;
    auto engines = std::make_shared<std::deque<gpu::test::RandomSwapEngine>>();
    for (unsigned sm = 0; sm < site.machine.chip.sms; ++sm) hooks.swap.push_back(&engines->emplace_back(options));
    return engines;
  }
};

}  // namespace castor::shuttle
