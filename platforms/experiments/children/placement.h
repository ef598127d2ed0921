#pragma once

#include <string>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// Adds to the counts of a run where its thread blocks ran, and when, from its report and its timeline
/// (docs/guides/looking.md):
///
/// * blocks_seen, launches_seen, launches_placed: thread blocks and launches by device code in the timeline; launches
///   of which a thread block started
/// * child_blocks, at_home: thread blocks of launches by device code; of these those on the SM of their direct parent
/// * wait_median: over launches, cycles from the call to the start of the first thread block
/// * fullest_sm_room: warps x cycles of the SM that held most, times the number of SMs
/// * stale_hit: L1 hits on data that have been written since
/// * kernel_l2_hit, kernel_l2_miss, kernel_l2_merged: requests of kernels, without those of copies
/// * child_l1_hit, child_l1_miss: loads of launches by device code, looked up in L1; with groups those of the kernel
///   that is kept resident for them, which does nothing itself
/// * pushes, own, host, stolen, starved, unfit, push_wait, backups, memory_writes, memory_reads: the block LaPerm's
///
/// Errors: base::Error if the file is no timeline.
void add_placement(const Json& report, const std::string& timeline, Json& out);
/// Changes when `add_placement` returns other figures.
[[nodiscard]] std::string placement_figures();

}  // namespace castor::platforms::experiments
