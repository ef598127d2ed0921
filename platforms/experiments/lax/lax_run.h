#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/machines.h"
#include "workloads/host/schedulers.h"

namespace castor::platforms::experiments {

/// A scheduler, or LAX with other settings of the engine.
struct LaxEntry {
  std::string name;  ///< "LAX", "LAX/init-lowest"
  const workloads::SchedulerInfo* scheduler = nullptr;
  std::vector<std::string> overrides;  ///< of the machine
  bool variant = false;
};
/// Schedulers in the order of the tables, then variants of LAX.
[[nodiscard]] const std::vector<LaxEntry>& lax_entries();
/// nullptr if there is none.
[[nodiscard]] const LaxEntry* find_lax_entry(const std::string& name);

/// The machine on which an entry runs, with a user's "key=value". Errors: InputError.
[[nodiscard]] LoadedMachine lax_machine(const LaxEntry& entry, const std::vector<std::string>& overrides);

/// One run of the comparison in this process: `parameters` as the experiment makes them. Result: jobs, met, late,
/// rejected, open, all_tbs, useful_tbs, p99, longest, makespan, cycles (core cycles), lane_cycles, and the figures of
/// lax::Sample.
[[nodiscard]] Json run_lax(const Json& parameters);

}  // namespace castor::platforms::experiments
