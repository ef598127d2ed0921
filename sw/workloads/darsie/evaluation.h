#pragma once

#include <string>
#include <vector>

#include "workloads/claim.h"
#include "workloads/darsie/energy.h"
#include "workloads/samples.h"
#include "workloads/spread.h"

namespace castor::workloads::darsie {

/// Counts of one run by name, sums over SMs and the kernels that count. Names of totals are the report's
/// (docs/statistics.md); others:
///
///   cycles                   of the kernels, core cycles
///   class_<class>, lanes_<class>  warp instructions issued, and their active lanes, by class
///   register_reads, register_writes  rows included; missing if the machine does not count them
///   filter_<count>           of the SM's side of the block, 0 without it
///   darsie_<counter>         of the block, 0 without it
///   limit_<count>            of the limit study (docs/marks.md, "Limit study"), only in its runs
using workloads::Sample;

using workloads::count;
using workloads::Evaluation;
using workloads::Figure;
using workloads::quotient;
using workloads::sum;
[[nodiscard]] Figure cycles();
/// Warp instructions that were executed.
[[nodiscard]] Figure executed();
/// Of the units for arithmetic.
[[nodiscard]] Figure arithmetic();
[[nodiscard]] Figure shared_loads();
[[nodiscard]] Figure global_loads();
/// Parts of `Energy`.
[[nodiscard]] Figure total_energy(const EnergyTable& table);
[[nodiscard]] Figure dynamic_energy(const EnergyTable& table);
[[nodiscard]] Figure overhead_share(const EnergyTable& table);

/// Names of systems that the claims speak of.
inline constexpr const char *kBaseline = "baseline", *kDarsie = "darsie", *kUv = "uv", *kDac = "dac_ideal",
                            *kIgnoreStore = "ignore_store", *kNoSync = "no_cf_sync", *kSiliconSync = "silicon_sync",
                            *kReads4 = "reads_4", *kLimit = "limit", *kBaselinePorts = "baseline_ports",
                            *kDarsiePorts = "darsie_ports";

/// What a system is compared with: "baseline", or for "darsie sm.warps=32" the "baseline sm.warps=32".
[[nodiscard]] std::string baseline_of(const std::string& system);

/// Programs that skip a larger share of a class of instructions than thread blocks of so many warps can: "MM: 97.0 % of
/// shared loads with darsie". Checked for every system in `skipping`.
[[nodiscard]] std::vector<std::string> beyond_bound(const Evaluation& evaluation,
                                                    const std::vector<std::string>& skipping);

/// The claims C1 to C20 (docs/results/darsie.md, "Claims"). `skipping`: systems that have the block.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const EnergyTable& table,
                                       const std::vector<std::string>& skipping);

}  // namespace castor::workloads::darsie
