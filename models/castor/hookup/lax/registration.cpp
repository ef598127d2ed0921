#include "castor/hookup/lax/registration.h"

#include "castor/base/error.h"
#include "castor/hookup/lax/lax_adapter.h"
#include "castor/hookup/lax/lax_configuration.h"
#include "castor/hookup/lax/lax_statistics.h"
#include "castor/hookup/twin_of.h"
#include "castor/lax/engine.h"

namespace castor::lax {

const char* Registration::name() const { return Block::kBlock; }

const std::vector<base::SchemaRow>& Registration::keys() const { return hookup::lax_keys(); }

std::vector<hookup::Claim> Registration::claims(const hookup::Settings& /*settings*/) const {
  return {hookup::Claim::kOrdersJobs, hookup::Claim::kPlacesTbs};
}

std::shared_ptr<void> Registration::plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const {
  if (site.machine.inspect == gpu::Inspect::kOff) {
    throw base::InputError("block lax needs an inspector of queues, machine " + base::printable(site.machine.name) +
                               " has none (inspect off)",
                           "inspect=packet, another machine, or disable the block");
  }
  auto adapter = std::make_shared<hookup::LaxAdapter>(
      hookup::twin_of<Block>(site, hookup::lax_params(site.machine, site.settings)),
      hookup::lax_registers(site.machine, site.settings));
  hooks.job_scheduler = adapter.get();
  hooks.dispatch = &adapter->dispatch();
  return adapter;
}

std::string Registration::statistics_path() const { return "gpu.front_end.job_scheduler"; }

std::shared_ptr<void> Registration::declare_statistics(base::StatisticGroup& parent) const {
  return std::make_shared<hookup::LaxStatistics>(parent);
}

}  // namespace castor::lax
