#include "castor/hookup/blocks.h"

#include <string>

#include "castor/base/error.h"
#include "castor/hookup/lax/lax_adapter.h"
#include "castor/hookup/lax/lax_configuration.h"
#include "castor/hookup/saws/saws_adapter.h"

namespace castor::hookup {

Blocks::Blocks(const gpu::Machine& machine) {
  for (std::size_t i = 0; i < gpu::kBlocks; ++i) {
    const auto block = static_cast<gpu::Block>(i);
    if (!machine.block(block).enable) continue;
    switch (block) {
      case gpu::Block::kLax:
        plug_lax(machine);
        break;
      case gpu::Block::kSaws:
        plug_saws(machine);
        break;
      default:
        throw base::InputError("block " + std::string(gpu::slug(block)) + " cannot be plugged into the GPU yet",
                               "set blocks." + std::string(gpu::slug(block)) + ".enable to 0");
    }
  }
}

void Blocks::plug_lax(const gpu::Machine& machine) {
  if (machine.inspect == gpu::Inspect::kOff) {
    throw base::InputError(
        "block lax needs an inspector of queues, machine " + base::printable(machine.name) + " has none (inspect off)",
        "inspect=packet, another machine, or disable the block");
  }
  lax_ = std::make_unique<LaxAdapter>(lax_twin(machine), lax_registers(machine));
  hooks_.job_scheduler = lax_.get();
  hooks_.dispatch = &lax_->dispatch();
}

void Blocks::plug_saws(const gpu::Machine& machine) {
  const auto refuse = [](const std::string& key, unsigned value, const std::string& hint) {
    throw base::InputError("block saws does not work on this machine: key " + key + " is " + std::to_string(value),
                           hint);
  };
  if (machine.issue.warps != 1) refuse("issue.warps", machine.issue.warps, "1");
  const saws::Params params = saws_params(machine);
  if (machine.sm.tb_slots > params.MaxCta) refuse("sm.tb_slots", machine.sm.tb_slots, "at most 32");
  const SawsAdapter::Settings settings{static_cast<std::uint8_t>(machine.saws.mode), machine.saws.toggle};
  for (unsigned sm = 0; sm < machine.chip.sms; ++sm) {
    saws_.push_back(std::make_unique<SawsAdapter>(saws_twin(machine, sm), settings));
    hooks_.issue.push_back(saws_.back().get());
  }
}

Blocks::~Blocks() = default;

}  // namespace castor::hookup
