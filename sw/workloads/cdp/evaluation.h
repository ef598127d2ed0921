#pragma once

#include <map>
#include <string>
#include <vector>

#include "workloads/claim.h"
#include "workloads/samples.h"

namespace castor::workloads::cdp {

/// Counts of one run, those of `Sample`. Names of totals are the report's (docs/statistics.md); others:
///
///   cycles                    of the host's kernels, each until its last descendant is complete; without copies
///   host_kernels              launches by the host
///   counted, refused, failed  launches by device code as the program counts them; not of the launch path
///   launches, granted, dropped, pending_peak  launches by device code, as the front end counts them
///   ended                     launches by device code that are complete
///   wait_sum                  from the call to the placement of the first thread block, over launches
///   thread_blocks, tb_started, tb_left  of all grids; started on SMs; retired there
///   parent_..., child_...     threads, warp_instructions, thread_instructions of kernels of the host and of device
///   code lane_slots                warp instructions times lanes of a warp warp_room                 cycles times
///   warps that all SMs hold memory_instructions, global_instructions  loads, stores and atomics; without those of
///   shared memory dram_busy                 DRAM clocks that moved data call_stream, call_buffer, call_launch  ticks
///   that warps waited in these calls clock_stream, clock_buffer, clock_launch  the same by the clock of the launch
///   path's program
using Figures = Sample;

/// Names of systems that the claims speak of.
inline constexpr const char *kFlat = "flat", *kCdp = "cdp", *kIdeal = "cdp_ideal";

[[nodiscard]] Figure cycles();
/// Active lanes of a warp instruction, a share of all.
[[nodiscard]] Figure warp_activity();
[[nodiscard]] Figure dram_efficiency();
/// Resident warps, a share of those that SMs hold, while kernels run; of those launched by device code alone.
[[nodiscard]] Figure occupancy();
[[nodiscard]] Figure child_occupancy();
/// From the call to the first thread block, cycles per launch.
[[nodiscard]] Figure waiting();
/// Line accesses of a global or local memory instruction.
[[nodiscard]] Figure transactions();
/// Passes of the load/store unit behind the first, per memory instruction.
[[nodiscard]] Figure replays();
/// Threads of a launch by device code.
[[nodiscard]] Figure child_threads();

/// "flat" for "cdp", "flat sm.warps=32" for "cdp sm.warps=32".
[[nodiscard]] std::string flat_of(const std::string& system);
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

/// What does not add up in a run: launches that did not start, thread blocks that were not placed; empty if all does.
[[nodiscard]] std::vector<std::string> unbalanced(const Sample& sample);

/// The claims B1 to B17 and the invariant I1 (docs/results/cdp.md, "Claims"). `unbalanced_runs`: what `unbalanced`
/// says, with names of runs.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const LaunchPath& path,
                                       const std::vector<std::string>& unbalanced_runs);

}  // namespace castor::workloads::cdp
