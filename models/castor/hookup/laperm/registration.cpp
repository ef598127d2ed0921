#include "castor/hookup/laperm/registration.h"

#include "castor/base/error.h"
#include "castor/hookup/keys.h"
#include "castor/hookup/laperm/laperm_adapter.h"
#include "castor/hookup/laperm/laperm_statistics.h"
#include "castor/hookup/twin_of.h"
#include "castor/laperm/engine.h"

namespace castor::laperm {
namespace {

void in_range(const std::string& key, unsigned value, unsigned least, unsigned most) {
  if (value >= least && value <= most) return;
  throw base::InputError("block laperm does not work on this machine: key " + key + " is " + std::to_string(value),
                         std::to_string(least) + " to " + std::to_string(most));
}

// Throws InputError if the need of a thread block may exceed its ten-bit field.
void check_need(const std::string& key, unsigned most, unsigned unit) {
  constexpr unsigned kUnits = 1023;
  if (most / unit <= kUnits) return;
  throw base::InputError("block laperm does not work on this machine: a thread block can need " +
                             std::to_string(most / unit) + " units of key " + key,
                         "at most " + std::to_string(kUnits));
}

}  // namespace

const char* Registration::name() const { return Block::kBlock; }

const std::vector<base::SchemaRow>& Registration::keys() const {
  using namespace hookup;
  static const std::vector<base::SchemaRow> keys{
      choice_key("policy", "adaptive_bind", {"tb_pri", "smx_bind", "adaptive_bind"},
                 "children are placed first (tb_pri); only on the SM of their parent (smx_bind); also on other SMs "
                 "without work (adaptive_bind)"),
      number_key("cluster_size", 1, "SMs", 1, 4, "SMs that share a set of queues; a power of two"),
      number_key("levels", 4, "levels", 1, 15, "nesting levels of launches by device code that are distinguished"),
      number_key("bank_depth", 128, "items", 2, 256, "items that a set of queues holds on the chip"),
      number_key("list_log2", 12, "number", 0, 18, "log2 of the items that a list in memory holds; 0 = no lists"),
      number_key("refills", 4, "reads", 1, 8, "reads of lists in memory that may be in flight")};
  return keys;
}

std::vector<hookup::Claim> Registration::claims(const hookup::Settings& /*settings*/) const {
  return {hookup::Claim::kPlacesTbs, hookup::Claim::kKnowsGroups};
}

Params Registration::params(const gpu::Machine& machine, const hookup::Settings& settings) {
  in_range("chip.sms", machine.chip.sms, 2, 32);
  in_range("table.entries", machine.table.entries, 2, 256);
  Params params;
  params.NumSm = machine.chip.sms;
  params.NumKd = machine.table.entries;
  params.ClusterSize = settings.number("cluster_size");
  params.LvlMax = settings.number("levels");
  params.BankDepth = settings.number("bank_depth");
  params.RefillMax = settings.number("refills");
  params.check();
  return params;
}

std::shared_ptr<void> Registration::plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const {
  const gpu::Machine& machine = site.machine;
  const Params params = Registration::params(machine, site.settings);
  in_range("sm.warps", machine.sm.warps, 1, 64);
  in_range("sm.lanes", machine.sm.lanes, 32, 32);
  check_need("sm.reg_alloc_unit", machine.sm.registers, machine.sm.reg_alloc_unit);
  check_need("sm.smem_alloc_unit", machine.sm.max_tb_smem, machine.sm.smem_alloc_unit);
  hookup::LapermAdapter::Settings settings;
  settings.policy = static_cast<std::uint8_t>(site.settings.number("policy") + kTbPri);
  settings.list_log2 = site.settings.number("list_log2");
  auto adapter = std::make_shared<hookup::LapermAdapter>(hookup::twin_of<Block>(site, params), settings);
  hooks.dispatch = adapter.get();
  return adapter;
}

std::string Registration::statistics_path() const { return "gpu.front_end.dispatch_policy"; }

std::shared_ptr<void> Registration::declare_statistics(base::StatisticGroup& parent) const {
  return std::make_shared<hookup::LapermStatistics>(parent);
}

}  // namespace castor::laperm
