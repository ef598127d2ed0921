#include "castor/hookup/laperm_kmu/registration.h"

#include "castor/base/error.h"
#include "castor/hookup/keys.h"
#include "castor/hookup/laperm_kmu/laperm_kmu_adapter.h"
#include "castor/hookup/laperm_kmu/laperm_kmu_statistics.h"
#include "castor/hookup/twin_of.h"
#include "castor/laperm_kmu/engine.h"

namespace castor::laperm_kmu {
namespace {

void in_range(const std::string& key, unsigned value, unsigned least, unsigned most) {
  if (value >= least && value <= most) return;
  throw base::InputError("block laperm_kmu does not work on this machine: key " + key + " is " + std::to_string(value),
                         std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace

const char* Registration::name() const { return Block::kBlock; }

const std::vector<base::SchemaRow>& Registration::keys() const {
  using namespace hookup;
  static const std::vector<base::SchemaRow> keys{
      number_key("levels", 4, "levels", 1, 15, "nesting levels of launches by device code that are distinguished"),
      choice_key("lists", "by_sm", {"by_level", "by_sm"},
                 "launches wait in one list per level (by_level, for TB-Pri), or in one list per level and SM of the "
                 "parent (by_sm)")};
  return keys;
}

std::vector<hookup::Claim> Registration::claims(const hookup::Settings& /*settings*/) const {
  return {hookup::Claim::kOrdersSources, hookup::Claim::kNeedsExecution, hookup::Claim::kNeedsDeviceLaunches};
}

Params Registration::params(const gpu::Machine& machine, const hookup::Settings& settings) {
  in_range("chip.sms", machine.chip.sms, 2, 32);
  in_range("queue.count", machine.queue.count, 1, 128);
  Params params;
  params.NumSm = machine.chip.sms;
  params.NumHq = machine.queue.count;
  params.LvlMax = settings.number("levels");
  params.check();
  return params;
}

std::shared_ptr<void> Registration::plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const {
  const bool by_sm = site.settings.number("lists") != 0;
  auto adapter = std::make_shared<hookup::LapermKmuAdapter>(
      hookup::twin_of<Block>(site, params(site.machine, site.settings)), by_sm);
  hooks.sources = adapter.get();
  return adapter;
}

std::string Registration::statistics_path() const { return "gpu.front_end.source_order"; }

std::shared_ptr<void> Registration::declare_statistics(base::StatisticGroup& parent) const {
  return std::make_shared<hookup::LapermKmuStatistics>(parent);
}

}  // namespace castor::laperm_kmu
