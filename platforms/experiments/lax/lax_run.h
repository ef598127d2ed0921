#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/machines.h"
#include "workloads/host/outcome.h"
#include "workloads/host/schedulers.h"

namespace castor::platforms::experiments::lax {

/// A scheduler, or LAX with other settings of the engine, or PRO that knows less.
struct LaxEntry {
  std::string name;  ///< "LAX", "LAX/init-lowest"
  const workloads::SchedulerInfo* scheduler = nullptr;
  std::vector<std::string> overrides;  ///< of the machine
  bool variant = false;
  bool observed = false;  ///< the engine's predictions and priorities are read while it runs
  unsigned batch = 0;     ///< not 0: no scheduler, but batches of so many jobs
  bool knows_w0 = true;   ///< of PRO: it reads the simulator's constant of contention
};
/// Schedulers in the order of the tables, then variants.
[[nodiscard]] const std::vector<LaxEntry>& lax_entries();
/// nullptr if there is none.
[[nodiscard]] const LaxEntry* find_lax_entry(const std::string& name);

/// The machine on which an entry runs, with a user's "key=value". Errors: InputError.
[[nodiscard]] LoadedMachine lax_machine(const LaxEntry& entry, const std::vector<std::string>& overrides);

/// Name of the rate at which batches are compared.
inline constexpr const char* kBatchRate = "batch";

/// Figures of a run: met, late, rejected, open, all_tbs, useful_tbs, p99, longest, makespan, cycles (core cycles),
/// lane_cycles, and those of lax::Sample.
[[nodiscard]] Json lax_figures(const workloads::JobStream& stream, const workloads::RunOutcome& outcome);

/// One run of the comparison in this process: `parameters` as the experiment makes them. Result: lax_figures. Of
/// observed runs also predicted (jobs), prediction_error (mean of |predicted - running| / running) and trace: jobs
/// whose priorities were read. Of batches response_us, the mean.
[[nodiscard]] Json run_lax(const Json& parameters);

}  // namespace castor::platforms::experiments::lax
