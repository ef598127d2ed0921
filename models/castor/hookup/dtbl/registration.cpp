#include "castor/hookup/dtbl/registration.h"

#include "castor/base/error.h"
#include "castor/dtbl/engine.h"
#include "castor/hookup/dtbl/dtbl_adapter.h"
#include "castor/hookup/dtbl/dtbl_statistics.h"
#include "castor/hookup/keys.h"
#include "castor/hookup/twin_of.h"

namespace castor::dtbl {
namespace {

// Limits of the fields in which a launch command names its thread and describes the launch.
constexpr unsigned kLanes = 32, kMostWarps = 64, kMostSms = 32, kMostShared = 0xffff;
constexpr unsigned kMostThreads = 1024;

void at_most(const std::string& key, unsigned value, unsigned most) {
  if (value <= most) return;
  throw base::InputError("block dtbl does not work on this machine: key " + key + " is " + std::to_string(value),
                         "at most " + std::to_string(most));
}

}  // namespace

const char* Registration::name() const { return Block::kBlock; }

const std::vector<base::SchemaRow>& Registration::keys() const {
  using namespace hookup;
  static const std::vector<base::SchemaRow> keys{
      number_key("agt_size", 1024, "groups", 1, 2048, "entries of the aggregated group table; a power of two"),
      number_key("hash_mode", 0, "number", 0, 1, "group table entry of a thread: 0 by thread, 1 by thread and SM"),
      flag_key("dispatch", true,
               "1: the block places thread blocks; 0: another block that supports groups places them")};
  return keys;
}

std::vector<hookup::Claim> Registration::claims(const hookup::Settings& settings) const {
  std::vector<hookup::Claim> claims{hookup::Claim::kAcceptsGroups, hookup::Claim::kNeedsExecution,
                                    hookup::Claim::kNeedsDeviceLaunches};
  if (settings.flag("dispatch")) claims.push_back(hookup::Claim::kPlacesTbs);
  return claims;
}

Params Registration::params(const gpu::Machine& machine, const hookup::Settings& settings) {
  Params params;
  params.NumKde = machine.table.entries;
  params.AgtSize = settings.number("agt_size");
  params.HashMode = settings.number("hash_mode");
  params.check();
  return params;
}

std::shared_ptr<void> Registration::plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const {
  const gpu::Machine& machine = site.machine;
  if (machine.sm.lanes != kLanes) {
    throw base::InputError(
        "block dtbl does not work on this machine: key sm.lanes is " + std::to_string(machine.sm.lanes), "32");
  }
  at_most("sm.warps", machine.sm.warps, kMostWarps);
  at_most("chip.sms", machine.chip.sms, kMostSms);
  at_most("sm.max_tb_smem", machine.sm.max_tb_smem, kMostShared);
  at_most("sm.max_tb_threads", machine.sm.max_tb_threads, kMostThreads);
  const bool dispatch = site.settings.flag("dispatch");
  auto adapter =
      std::make_shared<hookup::DtblAdapter>(hookup::twin_of<Block>(site, params(machine, site.settings)), dispatch);
  hooks.launch = adapter.get();
  if (dispatch) hooks.dispatch = &adapter->dispatch();
  return adapter;
}

std::string Registration::statistics_path() const { return "gpu.front_end.launch_unit"; }

std::shared_ptr<void> Registration::declare_statistics(base::StatisticGroup& parent) const {
  return std::make_shared<hookup::DtblStatistics>(parent);
}

}  // namespace castor::dtbl
