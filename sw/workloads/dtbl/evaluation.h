#pragma once

#include <string>
#include <vector>

#include "workloads/children/figures.h"
#include "workloads/claim.h"
#include "workloads/samples.h"

namespace castor::workloads::dtbl {

/// A size of the group table in the study: number of entries, and the name of the system.
struct TableSize {
  unsigned entries;
  const char* system;
};
/// Returns the sizes in ascending order; 1024 entries is the system "dtbl".
[[nodiscard]] const std::vector<TableSize>& table_sizes();
/// System in which no kernel is kept resident: kernels start together with their groups.
inline constexpr const char* kCold = "dtbl_cold";
/// System in which the SM's number is part of the hash.
inline constexpr const char* kHash = "dtbl_hash";
/// Returns the workloads that the studies run: those with many launches for their size.
[[nodiscard]] std::vector<std::string> launch_dense();

/// Groups that found a resident kernel, as a fraction of all groups.
[[nodiscard]] Figure kernel_hits();
/// Groups that got an entry of the group table, as a fraction of the attached groups.
[[nodiscard]] Figure table_hits();
/// Mean number of launches with resident thread blocks: resident warps / warps per launch.
[[nodiscard]] Figure running();
/// Mean number of launches that wait at the same time, from their call to their first thread block.
[[nodiscard]] Figure waiting_at_once();

/// Judges the claims T1 to T17 and the invariants I1 and I2 (docs/results/dtbl.md, "Claims"). `path`: axes "lanes" and
/// "groups". `unbalanced_runs`: names of runs and their messages from children::unbalanced. `unequal_runs`: runs whose
/// results differ from another system's results for the same input.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const children::Path& path,
                                       const std::vector<std::string>& unbalanced_runs,
                                       const std::vector<std::string>& unequal_runs);

}  // namespace castor::workloads::dtbl
