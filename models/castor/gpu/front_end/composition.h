#pragma once

#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Checks the machine against its hooks and returns it (docs/gpu/hooks.md, "Composition"). Throws InputError, naming
/// machine and hook, if the machine lacks what a hook needs or exceeds the limits of the hooks' records.
const Machine& checked(const Machine& machine, const Hooks& hooks);

}  // namespace castor::gpu
