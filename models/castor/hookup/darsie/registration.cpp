#include "castor/hookup/darsie/registration.h"

#include "castor/base/error.h"
#include "castor/hookup/darsie/darsie_adapter.h"
#include "castor/hookup/darsie/darsie_statistics.h"
#include "castor/hookup/keys.h"
#include "castor/hookup/twin_of.h"

namespace castor::darsie {
namespace {

/// Throws InputError unless a key of the machine lies in the range.
void need(const std::string& key, unsigned value, unsigned low, unsigned high) {
  if (value >= low && value <= high) return;
  throw base::InputError("block darsie does not work on this machine: key " + key + " is " + std::to_string(value),
                         low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high));
}

void check_machine(const gpu::Machine& machine) {
  need("sm.lanes", machine.sm.lanes, 32, 32);
  need("sm.warps", machine.sm.warps, 1, 64);
  need("sm.tb_contexts", machine.sm.tb_contexts, 1, 32);
  need("fetch.warps", machine.fetch.warps, 1, 1);
  need("fetch.insns", machine.fetch.insns, 1, gpu::kMaxDecode);
  need("issue.warps", machine.issue.warps, 1, gpu::kMaxIssue / (machine.schedulers * machine.issue.per_warp));
  need("rf.banks", machine.rf.banks, 1, 16);
}

}  // namespace

const char* Registration::name() const { return Block::kBlock; }

const std::vector<base::SchemaRow>& Registration::keys() const {
  using namespace hookup;
  static const std::vector<base::SchemaRow> keys{
      number_key("entries", 8, "entries", 1, 16, "of the skip table, per thread block"),
      number_key("rows", 32, "rows", 1, 32, "for renaming that a thread block uses at most"),
      number_key("slots", 32, "registers", 1, 32, "of a program that may be renamed"),
      number_key("read_ports", 2, "groups", 1, 4, "of warps that ask the skip table per tick"),
      flag_key("store_inv", true, "stores of a thread block take its loads out of the skip table"),
      flag_key("load_skip", true, "loads are skipped too"),
      flag_key("skip", true, "0: warps meet at branches, and nothing is skipped")};
  return keys;
}

std::vector<hookup::Claim> Registration::claims(const hookup::Settings& /*settings*/) const {
  return {hookup::Claim::kFiltersFetch, hookup::Claim::kNeedsExecution};
}

Params Registration::params(const gpu::Machine& machine, const hookup::Settings& settings) {
  check_machine(machine);
  Params params;
  params.NumWarps = machine.sm.warps;
  params.NumTbs = machine.sm.tb_contexts;
  params.NumPst = settings.number("entries");
  params.NumRows = settings.number("rows");
  params.NumSlots = settings.number("slots");
  params.PstRd = settings.number("read_ports");
  params.DecW = machine.fetch.insns;
  params.NumIss = machine.schedulers * machine.issue.warps * machine.issue.per_warp;
  params.NumSrc = gpu::kMaxOperands;
  params.NumWb = machine.rf.banks;
  params.RowW = Params::number_bits(machine.sm.registers / machine.sm.lanes);
  params.StoreInv = settings.flag("store_inv") ? 1 : 0;
  params.LoadSkip = settings.flag("load_skip") ? 1 : 0;
  params.SkipEn = settings.flag("skip") ? 1 : 0;
  params.check();
  return params;
}

std::shared_ptr<void> Registration::plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const {
  const Params params = Registration::params(site.machine, site.settings);
  auto adapters = std::make_shared<std::vector<std::unique_ptr<hookup::DarsieAdapter>>>();
  for (unsigned sm = 0; sm < site.machine.chip.sms; ++sm) {
    adapters->push_back(
        std::make_unique<hookup::DarsieAdapter>(hookup::twin_of<Block>(site, params, "sm" + std::to_string(sm))));
    hooks.fetch_filter.push_back(adapters->back().get());
  }
  return adapters;
}

std::string Registration::statistics_path() const { return "gpu.sm<k>.fetch_filter"; }

std::shared_ptr<void> Registration::declare_statistics(base::StatisticGroup& parent) const {
  static const Counters none;
  return std::make_shared<hookup::DarsieStatistics>(parent, []() -> const Counters& { return none; });
}

}  // namespace castor::darsie
