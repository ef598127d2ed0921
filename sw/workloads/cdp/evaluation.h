#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workloads/claim.h"
#include "workloads/samples.h"

namespace castor::workloads::cdp {

/// Returns 1 - ideal / real of the run times: the fraction of a run spent on launching, by the source's "ideal" time.
[[nodiscard]] double launch_share(const Evaluation& evaluation, const std::string& program, const std::string& ideal,
                                  const std::string& real);

/// Runs of the program that measures the path of a launch, without work.
struct LaunchPath {
  using BySize = std::map<unsigned, Sample>;
  BySize lanes;              ///< one warp; key: number of lanes that launch
  BySize warps;              ///< one block, one lane of each warp launches; key: number of warps
  BySize many, many_serial;  ///< key: number of launches; serial: one grant at a time
  BySize queues;             ///< kernels of 64 streams; key: number of hardware queues
  Sample placement;          ///< placement figures that the program printed
  Sample limited;            ///< 32 lanes of one warp, with a limit of 5 pending launches
};
/// Returns the cycles per launch between neighbouring points of a series, as pairs (larger number of launches, cycles).
[[nodiscard]] std::vector<std::pair<unsigned, double>> slopes(const LaunchPath::BySize& series);

/// Judges the claims B1 to B17 and the invariant I1 (docs/results/cdp.md, "Claims"). `unbalanced_runs`: names of runs
/// and their messages from children::unbalanced.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const LaunchPath& path,
                                       const std::vector<std::string>& unbalanced_runs);

}  // namespace castor::workloads::cdp
