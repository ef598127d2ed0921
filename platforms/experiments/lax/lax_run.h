#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/machines.h"
#include "workloads/host/schedulers.h"

namespace castor::platforms::experiments {

/// The machine of the comparison, with a user's "key=value". Errors: InputError.
[[nodiscard]] LoadedMachine lax_machine(const std::vector<std::string>& overrides);

/// The platform has what the scheduler needs.
[[nodiscard]] bool lax_runs(const workloads::SchedulerInfo& info);

/// One run of the comparison in this process: `parameters` as the experiment makes them. Result: jobs, met, late,
/// rejected, open, all_tbs, useful_tbs, p99, longest, makespan, cycles (core cycles), lane_cycles, and the figures of
/// lax::Sample.
[[nodiscard]] Json run_lax(const Json& parameters);

}  // namespace castor::platforms::experiments
