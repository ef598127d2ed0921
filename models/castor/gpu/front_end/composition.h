#pragma once

#include <string>
#include <vector>

#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// A front-end hook of a machine and its name in messages and statistics.
struct NamedHook {
  std::string name;
  const Hook* hook = nullptr;
};
/// Returns the front-end hooks that are plugged in.
[[nodiscard]] std::vector<NamedHook> front_end_hooks(const Hooks& hooks);

/// Checks the machine against its hooks and returns it (docs/gpu/hooks.md, "Composition"). Throws InputError, naming
/// machine and hook, if the machine lacks what a hook needs or exceeds the limits of the hooks' records.
const Machine& checked(const Machine& machine, const Hooks& hooks);

}  // namespace castor::gpu
