#pragma once

#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Throws InputError, naming both, if blocks of a machine or hooks exclude each other, or if the machine is beyond what
/// hooks' records can hold (docs/gpu.md, "Composition"). Returns the machine.
const Machine& checked(const Machine& machine, const Hooks& hooks);

}  // namespace castor::gpu
