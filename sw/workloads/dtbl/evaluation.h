#pragma once

#include <string>
#include <vector>

#include "workloads/children/figures.h"
#include "workloads/claim.h"
#include "workloads/samples.h"

namespace castor::workloads::dtbl {

/// Group tables of the study: entries, and the name of the system.
struct TableSize {
  unsigned entries;
  const char* system;
};
/// Ascending; 1024 is the system "dtbl".
[[nodiscard]] const std::vector<TableSize>& table_sizes();
/// Kernels come with their groups, none is kept resident.
inline constexpr const char* kCold = "dtbl_cold";
/// An SM's number is part of the hash.
inline constexpr const char* kHash = "dtbl_hash";
/// Workloads that these systems run: they launch much for their size.
[[nodiscard]] std::vector<std::string> launch_dense();

/// Groups that found a resident kernel, a share of all.
[[nodiscard]] Figure kernel_hits();
/// Groups that got an entry of the table, a share of those that attached.
[[nodiscard]] Figure table_hits();
/// Launches of which a thread block is on an SM, on average: resident warps over warps of a launch.
[[nodiscard]] Figure running();
/// Launches between the call and their first thread block, on average.
[[nodiscard]] Figure waiting_at_once();

/// The claims T1 to T17 and the invariants I1 and I2 (docs/results/dtbl.md, "Claims"). `path`: axes "lanes" and
/// "groups". `unbalanced_runs`: what children::unbalanced says, with names of runs; `unequal_runs`: results that differ
/// from those of the same input on another system.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const children::Path& path,
                                       const std::vector<std::string>& unbalanced_runs,
                                       const std::vector<std::string>& unequal_runs);

}  // namespace castor::workloads::dtbl
