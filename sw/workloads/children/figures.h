#pragma once

#include <map>
#include <string>
#include <vector>

#include "workloads/samples.h"

namespace castor::workloads::children {

/// Counts of one run, as a `Sample`. Totals have the report's names (docs/statistics.md). The others are:
///
/// * cycles: of the host's kernels, each until its last descendant completes; copies and warm kernels are excluded
/// * host_kernels, warm_kernels: launches by the host; launches that only keep a kernel resident
/// * counted, refused, failed: launches by device code as the program counts them; missing for the launch path
/// * hash: 48 bits of the hash of the results; missing for the launch path
/// * launches: kernels and groups launched by device code
/// * groups, attached, fallbacks: launched groups of thread blocks; groups that joined a resident kernel; groups that
///   became kernels
/// * granted, dropped, pending_peak: launches by device code, as the front end counts them
/// * ended: launches by device code that have completed
/// * wait_sum, wait_largest: cycles from the call to the placement of the first thread block, over launches
/// * thread_blocks, tb_started, tb_left: thread blocks of all grids and groups; started on SMs; retired on SMs
/// * parent_..., child_...: threads, warp_instructions, thread_instructions of the host's kernels, and of kernels and
///   groups launched by device code
/// * child_warps: warps of launches by device code
/// * lane_slots: warp instructions times lanes per warp; warp_room: cycles times the warp capacity of all SMs
/// * memory_instructions, global_instructions: loads, stores and atomics; the second without shared memory
/// * dram_busy: DRAM clock cycles that transferred data
/// * call_stream, call_buffer, call_launch: ticks that warps waited in these runtime calls
/// * clock_stream, clock_buffer, clock_launch: ticks of the same calls by the clock of the launch path's program
/// * kde_hits, kde_misses, agt_hits, agt_misses, agt_used_peak, ...: counts of the block DTBL; missing on machines
///   without DTBL
using Figures = Sample;

/// Runs of the launch path program: by the parameter that is varied, then by the parameter's value.
using Path = std::map<std::string, std::map<unsigned, Sample>>;

/// Names of the systems that the claims refer to.
inline constexpr const char *kFlat = "flat", *kCdp = "cdp", *kIdeal = "cdp_ideal", *kDtbl = "dtbl",
                            *kDtblIdeal = "dtbl_ideal";

[[nodiscard]] Figure cycles();
/// Active lanes of a warp instruction, as a fraction of all lanes.
[[nodiscard]] Figure warp_activity();
[[nodiscard]] Figure dram_efficiency();
/// Resident warps while kernels run, as a fraction of the warp capacity of all SMs.
[[nodiscard]] Figure occupancy();
/// Resident warps of launches by device code, as a fraction of the warp capacity of all SMs.
[[nodiscard]] Figure child_occupancy();
/// Cycles from a launch call to the placement of its first thread block, per launch.
[[nodiscard]] Figure waiting();
/// Cache line accesses per global or local memory instruction.
[[nodiscard]] Figure transactions();
/// Additional passes of the load/store unit after the first, per memory instruction.
[[nodiscard]] Figure replays();
/// Threads per launch by device code.
[[nodiscard]] Figure child_threads();

/// Returns the flat system with the same machine keys: "flat" for "cdp", "flat sm.warps=32" for "cdp sm.warps=32".
[[nodiscard]] std::string flat_of(const std::string& system);
/// Returns a message for each pair of counts of a run that should be equal and is not: launches that did not start,
/// thread blocks that were not placed. Empty if all counts agree.
[[nodiscard]] std::vector<std::string> unbalanced(const Sample& sample);

}  // namespace castor::workloads::children
