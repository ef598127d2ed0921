#pragma once

#include <vector>

#include "castor/gpu/machine.h"
#include "castor/hookup/settings.h"
#include "castor/lax/params.h"

namespace castor::hookup {

/// A write to a register of a block.
struct RegisterValue {
  std::uint16_t offset = 0;
  std::uint32_t value = 0;
};

/// Returns the keys blocks.lax.*: parameters of the laxity engine, and its initial register values.
[[nodiscard]] const std::vector<base::SchemaRow>& lax_keys();

/// Returns the parameters of the laxity engine: the numbers of queues and parse lanes are the machine's; all other
/// parameters are keys of the block.
[[nodiscard]] lax::Params lax_params(const gpu::Machine& machine, const Settings& settings);

/// Returns the register writes at the start of the machine in order; CTRL with ENABLE comes last. Throws InputError for
/// a user priority that does not exist.
[[nodiscard]] std::vector<RegisterValue> lax_registers(const gpu::Machine& machine, const Settings& settings);

}  // namespace castor::hookup
