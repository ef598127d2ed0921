#include "castor/hookup/blocks.h"

#include <string>

#include "castor/base/error.h"
#include "castor/hookup/lax/lax_adapter.h"
#include "castor/hookup/lax/lax_configuration.h"

namespace castor::hookup {

Blocks::Blocks(const gpu::Machine& machine) {
  for (std::size_t i = 0; i < gpu::kBlocks; ++i) {
    const auto block = static_cast<gpu::Block>(i);
    if (!machine.block(block).enable || block == gpu::Block::kLax) continue;
    throw base::InputError("block " + std::string(gpu::slug(block)) + " cannot be plugged into the GPU yet",
                           "set blocks." + std::string(gpu::slug(block)) + ".enable to 0");
  }
  if (!machine.block(gpu::Block::kLax).enable) return;
  if (machine.inspect == gpu::Inspect::kOff) {
    throw base::InputError(
        "block lax needs an inspector of queues, machine " + base::printable(machine.name) + " has none (inspect off)",
        "inspect=packet, another machine, or disable the block");
  }
  lax_ = std::make_unique<LaxAdapter>(lax_twin(machine), lax_registers(machine));
  hooks_.job_scheduler = lax_.get();
  hooks_.dispatch = &lax_->dispatch();
}

Blocks::~Blocks() = default;

}  // namespace castor::hookup
