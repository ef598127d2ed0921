#pragma once

#include <functional>
#include <string>
#include <vector>

#include "castor/base/config.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// One key of a machine file: how it is written (schema row), which chapter of the documents lists it, and where its
/// value goes.
struct MachineKey {
  base::SchemaRow row;
  const char* chapter;
  std::function<void(Machine&, const base::ConfigValue&)> assign;
};

/// All keys in the order of the documents. The only place that knows them: files are checked against it, `Machine` is
/// filled from it, docs/machines.md and listings are printed from it.
[[nodiscard]] const std::vector<MachineKey>& machine_table();

/// The rows of `machine_table` as a schema.
[[nodiscard]] const base::Schema& machine_schema();

/// Fills a machine from a checked configuration and checks it for consistency (`check_machine`).
[[nodiscard]] Machine machine_from(const base::Config& config);

/// What one row alone cannot say: sets x ways x line = bytes, a warp count that holds the largest TB, queues that hold
/// the largest packet, and so on (docs/gpu/faults.md, "Bad input"). Throws InputError at the place of the key that is
/// easiest to change, naming the others.
void check_machine(const Machine& machine, const base::Config& config);

}  // namespace castor::gpu
