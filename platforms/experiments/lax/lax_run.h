#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/machines.h"
#include "workloads/host/outcome.h"
#include "workloads/host/schedulers.h"

namespace castor::platforms::experiments::lax {

/// A row of the comparison: a scheduler, LAX with other settings of the engine, PRO with less knowledge, or batches.
struct LaxEntry {
  std::string name;  ///< "LAX", "LAX/init-lowest"
  const workloads::SchedulerInfo* scheduler = nullptr;
  std::vector<std::string> overrides;  ///< keys of the machine
  bool variant = false;
  bool observed = false;  ///< the engine's predictions and priorities are read during the run
  unsigned batch = 0;     ///< not 0: batches of this many jobs instead of a scheduler
  bool knows_w0 = true;   ///< for the scheduler PRO: it knows the simulator's contention constant w0
};
/// Returns all entries: schedulers in the order of the tables, then variants.
[[nodiscard]] const std::vector<LaxEntry>& lax_entries();
/// Returns the entry of that name, or nullptr if there is none.
[[nodiscard]] const LaxEntry* find_lax_entry(const std::string& name);

/// Returns the machine on which an entry runs, with the user's "key=value" applied. Throws InputError.
[[nodiscard]] LoadedMachine lax_machine(const LaxEntry& entry, const std::vector<std::string>& overrides);

/// Name of the rate at which batches are compared.
inline constexpr const char* kBatchRate = "batch";

/// Returns the figures of a run: met, late, rejected, open, all_tbs, useful_tbs, p99, longest, makespan, cycles (core
/// cycles), lane_cycles, and the figures of lax::Sample.
[[nodiscard]] Json lax_figures(const workloads::JobStream& stream, const workloads::RunOutcome& outcome);

/// Executes one run of the comparison in this process. `parameters`: as the experiment makes them. Returns
/// lax_figures(). Observed runs add predicted (number of jobs), prediction_error (mean of |predicted - running| /
/// running) and trace (jobs whose priorities were read). Runs of batches add response_us, the mean response time.
[[nodiscard]] Json run_lax(const Json& parameters);

}  // namespace castor::platforms::experiments::lax
