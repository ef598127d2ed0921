#include "castor/hookup/tb_swap/registration.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/hookup/keys.h"
#include "castor/hookup/tb_swap/tb_swap_adapter.h"
#include "castor/hookup/tb_swap/tb_swap_statistics.h"
#include "castor/hookup/twin_of.h"
#include "castor/tb_swap/engine.h"

namespace castor::tb_swap {

const char* Registration::name() const { return Block::kBlock; }

const std::vector<base::SchemaRow>& Registration::keys() const {
  using namespace hookup;
  static const std::vector<base::SchemaRow> keys{
      flag_key("live", true, "only registers that are live at the site of a move are moved"),
      flag_key("stay", true,
               "thread blocks that wait may stay in their SM, in registers and shared memory left unused"),
      number_key("homes", 64, "homes", 1, 64,
                 "most register homes, and most shared homes, those of the TB contexts included"),
      number_key("places", 64, "places", 1, 64, "most places for lines of thread blocks that stay in their SM"),
      number_key("queue", 64, "thread blocks", 1, 64, "most thread blocks that stay in their SM"),
      number_key("segments", 2, "segments", 0, 4,
                 "most read-only segments of a thread block; 0: promises of programs are ignored"),
      number_key(
          "threshold", 64, "requests", 0, 1023,
          "requests of an SM without a reply at which the engine's accesses to memory pause, at least 8; they go "
          "on at 4 below; 0: they never pause")};
  return keys;
}

std::vector<hookup::Claim> Registration::claims(const hookup::Settings& /*settings*/) const {
  return {hookup::Claim::kMovesContexts, hookup::Claim::kSwapsOutTbs, hookup::Claim::kNeedsExecution};
}

// The predicates of a warp are in its SIMT line, whether they are live or not.
gpu::SwapLimits Registration::swap_limits(const hookup::Settings& settings) const {
  gpu::SwapLimits limits;
  limits.images = true;
  limits.live_registers = settings.flag("live");
  limits.warp_bytes = 80 + 32;
  return limits;
}

Params Registration::params(const gpu::Machine& machine, const hookup::Settings& settings) {
  Params params;
  params.MaxTb = machine.sm.tb_contexts;
  params.NumHomes = settings.number("homes");
  params.NumPlaces = settings.number("places");
  params.RoSegs = std::max(settings.number("segments"), 1U);
  params.check();
  return params;
}

std::shared_ptr<void> Registration::plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const {
  hookup::TbSwapAdapter::Settings settings;
  settings.live = site.settings.flag("live");
  settings.stay = site.settings.flag("stay");
  settings.queue = static_cast<std::uint8_t>(site.settings.number("queue"));
  settings.segments = static_cast<std::uint8_t>(site.settings.number("segments"));
  settings.threshold = static_cast<std::uint16_t>(site.settings.number("threshold"));
  if (settings.threshold > 0 && settings.threshold < 8) {
    throw base::InputError("block tb_swap: key blocks.tb_swap.threshold is " + std::to_string(settings.threshold),
                           "0, or 8 to 1023");
  }
  const Params params = Registration::params(site.machine, site.settings);
  auto adapters = std::make_shared<std::vector<std::unique_ptr<hookup::TbSwapAdapter>>>();
  for (unsigned sm = 0; sm < site.machine.chip.sms; ++sm) {
    adapters->push_back(std::make_unique<hookup::TbSwapAdapter>(
        hookup::twin_of<Block>(site, params, "sm" + std::to_string(sm)), settings));
    hooks.swap.push_back(adapters->back().get());
  }
  return adapters;
}

std::string Registration::statistics_path() const { return "gpu.sm<k>.swap_engine"; }

std::shared_ptr<void> Registration::declare_statistics(base::StatisticGroup& parent) const {
  return std::make_shared<hookup::TbSwapStatistics>(parent);
}

}  // namespace castor::tb_swap
