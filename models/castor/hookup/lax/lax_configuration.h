#pragma once

#include <memory>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/lax/ports.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// A write to a register of a block.
struct RegisterValue {
  std::uint16_t offset = 0;
  std::uint32_t value = 0;
};

/// Parameters of the laxity engine of a machine: queues and parse lanes are the machine's, the rest keys blocks.lax.*.
[[nodiscard]] lax::Params lax_params(const gpu::Machine& machine);

/// Its twin, as blocks.lax.engine says. Errors: InputError for illegal parameters and for RTL that is not built at
/// them.
[[nodiscard]] std::unique_ptr<twin::Twin<lax::Block>> lax_twin(const gpu::Machine& machine);

/// What its registers hold when the machine starts, in the order of the writes; CTRL with ENABLE comes last.
[[nodiscard]] std::vector<RegisterValue> lax_registers(const gpu::Machine& machine);

}  // namespace castor::hookup
