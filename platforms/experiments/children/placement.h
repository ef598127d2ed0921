#pragma once

#include <string>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// Adds to the counts of a run where and when its thread blocks ran, from the report and the timeline
/// (docs/guides/looking.md):
///
/// * blocks_seen, launches_seen, launches_placed: thread blocks in the timeline; launches by device code in the
///   timeline; launches of which a thread block started
/// * child_blocks, at_home: thread blocks of launches by device code; the part of these blocks that ran on
///   the SM of their direct parent
/// * wait_median: median over launches of the cycles from the call to the start of the first thread block
/// * fullest_sm_room: warps x cycles of the SM with the most resident warps, times the number of SMs
/// * stale_hit: L1 hits on data that have been written since the line was filled
/// * kernel_l2_hit, kernel_l2_miss, kernel_l2_merged: L2 requests of kernels, without requests of copies
/// * child_l1_hit, child_l1_miss: L1 lookups by loads of launches by device code. With groups, lookups by loads of
///   the kernel that is kept resident for the groups and does no work itself
/// * pushes, own, host, stolen, starved, unfit, push_wait, backups, memory_writes, memory_reads: counts of the block
///   LaPerm
///
/// Throws base::Error if the file is not a timeline.
void add_placement(const Json& report, const std::string& timeline, Json& out);
/// Returns a text that changes whenever `add_placement` would return different figures.
[[nodiscard]] std::string placement_figures();

}  // namespace castor::platforms::experiments
