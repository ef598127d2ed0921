#pragma once

#include <string>
#include <vector>

#include "workloads/children/figures.h"
#include "workloads/claim.h"
#include "workloads/laperm/footprint.h"
#include "workloads/samples.h"

namespace castor::workloads::laperm {

/// A launch model under its policies, names of systems. `rr` is what the machine has without the block.
struct Model {
  const char *name, *rr, *tb_pri, *smx_bind, *adaptive_bind;
  [[nodiscard]] std::vector<std::string> all() const { return {rr, tb_pri, smx_bind, adaptive_bind}; }
};
inline constexpr Model kCdp = {"CDP", "cdp_rr", "cdp_tb_pri", "cdp_smx_bind", "cdp_adaptive_bind"};
inline constexpr Model kDtbl = {"DTBL", "dtbl_rr", "dtbl_tb_pri", "dtbl_smx_bind", "dtbl_adaptive_bind"};

/// Not a machine of the comparison: what thread blocks touch.
inline constexpr const char* kFootprint = "footprint";

/// Of the studies: a system of `Model` with something else, and the round robin that it is compared with.
struct Pair {
  const char *rr, *adaptive_bind;
};
/// Latencies of launches of 0, a quarter, half and all of what was measured.
struct Latency {
  unsigned percent;
  Pair cdp;
};
[[nodiscard]] const std::vector<Latency>& latencies();
/// 256 entries of the kernel table.
inline constexpr Pair kManyKernels = {"cdp_rr_256", "cdp_adaptive_bind_256"};
/// Workloads that these run: they launch much for their size.
[[nodiscard]] std::vector<std::string> of_studies();

/// Loads of global and local memory that hit in L1, a share of all lookups.
[[nodiscard]] Figure l1_hits();
/// The same of launches by device code alone.
[[nodiscard]] Figure child_l1_hits();
/// Requests of kernels that hit in L2 (loads, stores, atomics; one that joins another's miss does not hit), a share of
/// all.
[[nodiscard]] Figure l2_hits();
/// Warp instructions per cycle of the host's kernels.
[[nodiscard]] Figure ipc();
/// Resident warps of the average SM over those of the SM with most; 1: all alike.
[[nodiscard]] Figure balance();
/// Thread blocks of launches by device code on the SM of their direct parent, a share of all.
[[nodiscard]] Figure at_home();
/// Of a stage ("own", "host", "stolen"), a share of all thread blocks placed.
[[nodiscard]] Figure stage(const char* name);
/// Launches that lay in memory, a share of those that LaPerm took.
[[nodiscard]] Figure in_memory();

/// What the block's part of a run does not keep: every thread block placed in one stage, every kernel and group pushed
/// once, what went to memory read back, nothing stolen but under Adaptive-Bind; and under SMX-Bind every thread block
/// of a launch on its parent's SM. Empty if all does. `bound`: SMX-Bind; `steals`: Adaptive-Bind.
[[nodiscard]] std::vector<std::string> misplaced(const Sample& sample, bool bound, bool steals);

/// What the runs say beside `Evaluation`.
struct Broken {
  std::vector<std::string> unbalanced;  ///< children::unbalanced, with names of runs
  std::vector<std::string> unequal;     ///< results other than those of the same input on another system
  std::vector<std::string> misplaced;   ///< the above, with names of runs
};
/// The claims P1 to P14 and the invariants I1 to I3 (docs/results/laperm.md, "Claims"). Footprints are runs of the
/// system `kFootprint`.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const Broken& broken);

}  // namespace castor::workloads::laperm
