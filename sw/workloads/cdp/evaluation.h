#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workloads/claim.h"
#include "workloads/samples.h"

namespace castor::workloads::cdp {

/// 1 - ideal / real of times: the part of a run that launching takes, by the source's "ideal" time.
[[nodiscard]] double launch_share(const Evaluation& evaluation, const std::string& program, const std::string& ideal,
                                  const std::string& real);

/// Runs of the way of a launch, without work.
struct LaunchPath {
  using BySize = std::map<unsigned, Sample>;
  BySize lanes;              ///< one warp, by lanes that launch
  BySize warps;              ///< one block, one lane of each warp, by warps
  BySize many, many_serial;  ///< by number of launches; serial: one grant at a time
  BySize queues;             ///< kernels of 64 streams, by hardware queues
  Sample placement;          ///< figures of the program
  Sample limited;            ///< 32 lanes of one warp, and a limit of 5 pending launches
};
/// Cycles per launch between neighbours of a series: (larger number of launches, cycles).
[[nodiscard]] std::vector<std::pair<unsigned, double>> slopes(const LaunchPath::BySize& series);

/// The claims B1 to B17 and the invariant I1 (docs/results/cdp.md, "Claims"). `unbalanced_runs`: what `unbalanced`
/// says, with names of runs.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const LaunchPath& path,
                                       const std::vector<std::string>& unbalanced_runs);

}  // namespace castor::workloads::cdp
