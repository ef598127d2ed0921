#include "castor/hookup/saws/registration.h"

#include "castor/base/error.h"
#include "castor/hookup/keys.h"
#include "castor/hookup/saws/saws_adapter.h"
#include "castor/hookup/saws/saws_statistics.h"
#include "castor/hookup/twin_of.h"
#include "castor/saws/engine.h"

namespace castor::saws {
namespace {

[[noreturn]] void refuse(const std::string& key, unsigned value, const std::string& hint) {
  throw base::InputError("block saws does not work on this machine: key " + key + " is " + std::to_string(value), hint);
}

}  // namespace

const char* Registration::name() const { return Block::kBlock; }

const std::vector<base::SchemaRow>& Registration::keys() const {
  using namespace hookup;
  static const std::vector<base::SchemaRow> keys{
      choice_key(
          "mode", "auto", {"gto", "auto", "always"},
          "SAWS begins never (gto), at the first barrier of a kernel (auto), or at the start of the kernel (always)"),
      flag_key("toggle", true, "a thread block is promoted at every other barrier only"),
      choice_key("init_order", "greedy_first", {"greedy_first", "age"}, "order of the thread blocks when SAWS begins"),
      choice_key("demote_at", "all_blocked", {"all_blocked", "first_hit"},
                 "event that moves a thread block to the tail of the list on its own scheduler"),
      number_key("p_floor", 1, "number", 0, 1, "least value of the promotion register"),
      number_key("evq_depth", 4, "messages", 1, 16, "messages per scheduler that may wait")};
  return keys;
}

std::vector<hookup::Claim> Registration::claims(const hookup::Settings& /*settings*/) const {
  return {hookup::Claim::kPicksWarps, hookup::Claim::kNeedsExecution};
}

Params Registration::params(const gpu::Machine& machine, const hookup::Settings& settings) {
  Params params;
  params.NumSched = machine.schedulers;
  params.NumWarps = machine.sm.warps;
  params.EvqDepth = settings.number("evq_depth");
  params.PFloor = settings.number("p_floor");
  params.InitOrder = settings.choice("init_order");
  params.DemoteAt = settings.choice("demote_at");
  params.check();
  return params;
}

std::shared_ptr<void> Registration::plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const {
  const gpu::Machine& machine = site.machine;
  if (machine.issue.warps != 1) refuse("issue.warps", machine.issue.warps, "1");
  const Params params = Registration::params(machine, site.settings);
  if (machine.sm.tb_slots > params.MaxCta) refuse("sm.tb_slots", machine.sm.tb_slots, "at most 32");
  const hookup::SawsAdapter::Settings settings{site.settings.choice<std::uint8_t>("mode"),
                                               site.settings.flag("toggle")};
  auto adapters = std::make_shared<std::vector<std::unique_ptr<hookup::SawsAdapter>>>();
  for (unsigned sm = 0; sm < machine.chip.sms; ++sm) {
    adapters->push_back(std::make_unique<hookup::SawsAdapter>(
        hookup::twin_of<Block>(site, params, "sm" + std::to_string(sm)), settings));
    hooks.issue.push_back(adapters->back().get());
  }
  return adapters;
}

std::string Registration::statistics_path() const { return "gpu.sm<k>.issue_policy"; }

std::shared_ptr<void> Registration::declare_statistics(base::StatisticGroup& parent) const {
  return std::make_shared<hookup::SawsStatistics>(parent);
}

}  // namespace castor::saws
