#pragma once

#include <functional>
#include <string>
#include <vector>

#include "castor/base/config.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// One key of a machine file: its schema row, the chapter of the documents that lists it, and the function that assigns
/// its value to a Machine.
struct MachineKey {
  base::SchemaRow row;
  const char* chapter;
  std::function<void(Machine&, const base::ConfigValue&)> assign;
};

/// Returns all keys in the order of the documents. Files are checked against this table, `Machine` is filled from it,
/// and docs/machines.md and listings are printed from it.
[[nodiscard]] const std::vector<MachineKey>& machine_table();

/// Returns the rows of `machine_table` as a schema.
[[nodiscard]] const base::Schema& machine_schema();

/// Fills a machine from a checked configuration and checks it for consistency (`check_machine`).
[[nodiscard]] Machine machine_from(const base::Config& config);

/// Checks relations between several keys: sets x ways x line = bytes, a warp count that holds the largest TB, queues
/// that hold the largest packet, and so on (docs/gpu/faults.md, "Bad input"). Throws InputError with the position of
/// the key that is easiest to change; the message names all keys of the relation.
void check_machine(const Machine& machine, const base::Config& config);

}  // namespace castor::gpu
