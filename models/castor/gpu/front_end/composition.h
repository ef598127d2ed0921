#pragma once

#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Throws InputError, naming both, if a machine is not what a hook needs, or beyond what hooks' records can hold
/// (docs/gpu/hooks.md, "Composition"). Returns the machine.
const Machine& checked(const Machine& machine, const Hooks& hooks);

}  // namespace castor::gpu
