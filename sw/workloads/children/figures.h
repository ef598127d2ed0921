#pragma once

#include <map>
#include <string>
#include <vector>

#include "workloads/samples.h"

namespace castor::workloads::children {

/// Counts of one run, those of `Sample`. Names of totals are the report's (docs/statistics.md); others:
///
/// * cycles: of the host's kernels, each until its last descendant is complete; without copies and warm kernels
/// * host_kernels, warm_kernels: launches by the host; those that only keep a kernel resident
/// * counted, refused, failed: launches by device code as the program counts them; not of the launch path
/// * hash: of the results, 48 bits; not of the launch path
/// * launches: by device code, kernels and groups; groups, attached, fallbacks: of them groups of thread blocks, those
///   that ran with a resident kernel and those that became kernels
/// * granted, dropped, pending_peak: launches by device code, as the front end counts them
/// * ended: launches by device code that are complete
/// * wait_sum, wait_largest: from the call to the placement of the first thread block, over launches
/// * thread_blocks, tb_started, tb_left: of all grids and groups; started on SMs; retired there
/// * parent_..., child_...: threads, warp_instructions, thread_instructions of kernels of the host, and of what device
///   code launched
/// * child_warps: warps of launches by device code
/// * lane_slots: warp instructions times lanes of a warp; warp_room: cycles times warps that all SMs hold
/// * memory_instructions, global_instructions: loads, stores and atomics; without those of shared memory
/// * dram_busy: DRAM clocks that moved data
/// * call_stream, call_buffer, call_launch: ticks that warps waited in these calls
/// * clock_stream, clock_buffer, clock_launch: the same by the clock of the launch path's program
/// * kde_hits, kde_misses, agt_hits, agt_misses, agt_used_peak, ...: the block DTBL's; not of machines without it
using Figures = Sample;

/// Runs of the way of a launch, without work: by what is varied, then by its value.
using Path = std::map<std::string, std::map<unsigned, Sample>>;

/// Names of systems that the claims speak of.
inline constexpr const char *kFlat = "flat", *kCdp = "cdp", *kIdeal = "cdp_ideal", *kDtbl = "dtbl",
                            *kDtblIdeal = "dtbl_ideal";

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
/// What does not add up in a run: launches that did not start, thread blocks that were not placed; empty if all does.
[[nodiscard]] std::vector<std::string> unbalanced(const Sample& sample);

}  // namespace castor::workloads::children
