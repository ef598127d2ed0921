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

/// Keys blocks.lax.*: parameters of the laxity engine, and its registers as they are when the machine starts.
[[nodiscard]] const std::vector<base::SchemaRow>& lax_keys();

/// Parameters of the laxity engine of a machine: queues and parse lanes are the machine's, the rest its keys.
[[nodiscard]] lax::Params lax_params(const gpu::Machine& machine, const Settings& settings);

/// What its registers hold when the machine starts, in the order of the writes; CTRL with ENABLE comes last. Errors:
/// InputError for a user priority that does not exist.
[[nodiscard]] std::vector<RegisterValue> lax_registers(const gpu::Machine& machine, const Settings& settings);

}  // namespace castor::hookup
