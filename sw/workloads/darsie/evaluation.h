#pragma once

#include <string>
#include <vector>

#include "workloads/claim.h"
#include "workloads/darsie/energy.h"
#include "workloads/samples.h"
#include "workloads/spread.h"

namespace castor::workloads::darsie {

/// Counts of one run by name, summed over SMs and over the kernels that are measured. Totals have the report's names
/// (docs/statistics.md). The others are:
///
///   cycles                   core cycles of the kernels
///   class_<class>, lanes_<class>  warp instructions issued and their active lanes, by instruction class
///   register_reads, register_writes  accesses of the register file, rows included; missing if not counted
///   filter_<count>           counts of the block's adapter in the SM; 0 without the block
///   darsie_<counter>         counters of the block; 0 without the block
///   limit_<count>            counts of the limit study (docs/marks.md, "Limit study"); only in runs of that study
using workloads::Sample;

using workloads::count;
using workloads::Evaluation;
using workloads::Figure;
using workloads::quotient;
using workloads::sum;
[[nodiscard]] Figure cycles();
/// Executed warp instructions.
[[nodiscard]] Figure executed();
/// Executed warp instructions of the arithmetic units.
[[nodiscard]] Figure arithmetic();
[[nodiscard]] Figure shared_loads();
[[nodiscard]] Figure global_loads();
/// Parts of the energy of a run (struct Energy).
[[nodiscard]] Figure total_energy(const EnergyTable& table);
[[nodiscard]] Figure dynamic_energy(const EnergyTable& table);
[[nodiscard]] Figure overhead_share(const EnergyTable& table);

/// Names of the systems that the claims refer to.
inline constexpr const char *kBaseline = "baseline", *kDarsie = "darsie", *kUv = "uv", *kDac = "dac_ideal",
                            *kIgnoreStore = "ignore_store", *kNoSync = "no_cf_sync", *kSiliconSync = "silicon_sync",
                            *kReads4 = "reads_4", *kLimit = "limit", *kBaselinePorts = "baseline_ports",
                            *kDarsiePorts = "darsie_ports";

/// Returns the system that `system` is compared with: "baseline", or "baseline sm.warps=32" for "darsie sm.warps=32".
[[nodiscard]] std::string baseline_of(const std::string& system);

/// Returns a message for each program that skips a larger share of an instruction class than its number of warps per
/// thread block allows: "MM: 97.0 % of shared loads with darsie". Checks every system in `skipping`.
[[nodiscard]] std::vector<std::string> beyond_bound(const Evaluation& evaluation,
                                                    const std::vector<std::string>& skipping);

/// Judges the claims C1 to C20 (docs/results/darsie.md, "Claims"). `skipping`: systems that have the block.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const EnergyTable& table,
                                       const std::vector<std::string>& skipping);

}  // namespace castor::workloads::darsie
