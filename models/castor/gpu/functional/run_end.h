#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "castor/gpu/functional/spin_check.h"
#include "castor/gpu/host_limit.h"
#include "castor/gpu/machine.h"

namespace castor::gpu::functional {

/// Conditions that end a run of the functional machine early: limits and the spin check.
struct RunEnd {
  explicit RunEnd(const Machine& machine) : host(machine.run.max_seconds), spins(machine.watchdog.cycles) {}

  HostLimit host;
  SpinCheck spins;
  bool limit_reached = false;  ///< the limit of instructions or of the host's time was reached
};

}  // namespace castor::gpu::functional
