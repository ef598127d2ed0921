#pragma once

#include <string>
#include <vector>

#include "workloads/children/figures.h"
#include "workloads/claim.h"
#include "workloads/laperm/footprint.h"
#include "workloads/samples.h"

namespace castor::workloads::laperm {

/// Names of the four systems of one launch model, one per policy. `rr` is the policy of the machine without the block.
struct Model {
  const char *name, *rr, *tb_pri, *smx_bind, *adaptive_bind;
  [[nodiscard]] std::vector<std::string> all() const { return {rr, tb_pri, smx_bind, adaptive_bind}; }
};
inline constexpr Model kCdp = {"CDP", "cdp_rr", "cdp_tb_pri", "cdp_smx_bind", "cdp_adaptive_bind"};
inline constexpr Model kDtbl = {"DTBL", "dtbl_rr", "dtbl_tb_pri", "dtbl_smx_bind", "dtbl_adaptive_bind"};

/// System of the runs that record which memory thread blocks touch; it is not a machine of the comparison.
inline constexpr const char* kFootprint = "footprint";

/// Systems of the studies: a system of `Model` with a changed parameter, and the round robin system that it is compared
/// with.
struct Pair {
  const char *rr, *adaptive_bind;
};
/// Systems with launch latencies of 0, a quarter, half and all of the measured latency.
struct Latency {
  unsigned percent;
  Pair cdp;
};
[[nodiscard]] const std::vector<Latency>& latencies();
/// Systems with 256 entries in the kernel table.
inline constexpr Pair kManyKernels = {"cdp_rr_256", "cdp_adaptive_bind_256"};
/// Returns the workloads that the studies run: those with many launches for their size.
[[nodiscard]] std::vector<std::string> of_studies();

/// L1 hit rate of loads of global and local memory.
[[nodiscard]] Figure l1_hits();
/// L1 hit rate of loads by child kernels and groups.
[[nodiscard]] Figure child_l1_hits();
/// L2 hit rate of the kernels' loads, stores and atomics. A request that joins another request's miss does not count as
/// a hit.
[[nodiscard]] Figure l2_hits();
/// Warp instructions per cycle of the host's kernels.
[[nodiscard]] Figure ipc();
/// Resident warps of the average SM, divided by the resident warps of the SM with the most; 1 means a perfect balance.
[[nodiscard]] Figure balance();
/// Thread blocks of device launches that ran on the SM of their direct parent, as a fraction of all.
[[nodiscard]] Figure at_home();
/// Thread blocks placed in a stage ("own", "host", "stolen"), as a fraction of all thread blocks placed.
[[nodiscard]] Figure stage(const char* name);
/// Launches whose queue item was in memory, as a fraction of the launches that LaPerm accepted.
[[nodiscard]] Figure in_memory();

/// Returns a message for each rule of the block that a run violates; empty if there is none. Rules: every thread block
/// is placed in one stage; every kernel and group is pushed once; all items written to memory are read back; nothing is
/// stolen except under Adaptive-Bind (`steals`); under SMX-Bind (`bound`) every thread block of a launch runs on its
/// parent's SM.
[[nodiscard]] std::vector<std::string> misplaced(const Sample& sample, bool bound, bool steals);

/// Violations found in the runs, beside the figures of `Evaluation`.
struct Broken {
  std::vector<std::string> unbalanced;  ///< names of runs and their messages from children::unbalanced
  std::vector<std::string> unequal;     ///< runs whose results differ from another system's results for the same input
  std::vector<std::string> misplaced;   ///< names of runs and their messages from misplaced()
};
/// Judges the claims P1 to P14 and the invariants I1 to I3 (docs/results/laperm.md, "Claims"). Footprints are runs of
/// the system `kFootprint`.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const Broken& broken);

}  // namespace castor::workloads::laperm
