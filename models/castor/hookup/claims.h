#pragma once

#include <string>
#include <vector>

#include "castor/gpu/machine.h"

namespace castor::hookup {

/// Claim of a block on a machine: a decision that the block makes, or a feature that it requires. Claims alone decide
/// which blocks exclude each other.
enum class Claim : std::uint8_t {
  kOrdersJobs,           ///< hook job_scheduler: chooses the next queue and admits jobs
  kPlacesTbs,            ///< hook dispatch: chooses the next thread block and its SM
  kKnowsGroups,          ///< hook dispatch: also places thread blocks of groups, which are pushed to it
  kAcceptsGroups,        ///< hook launch: decides which groups run with a resident kernel; with key `dispatch` it also
                         ///< places thread blocks
  kOrdersSources,        ///< hook sources: chooses the launch or queue that enters the kernel table next; does not
                         ///< support groups
  kFiltersFetch,         ///< hook fetch_filter: decides which instructions are fetched and skipped
  kPicksWarps,           ///< hook issue: chooses the warps that issue
  kGovernsSms,           ///< hook governors: limits SMs; any number of blocks may have this claim
  kSynchronises,         ///< hooks hub and agents: controls the synchronisation of thread blocks over the device
  kMovesContexts,        ///< hook swap: moves the contexts of thread blocks; comes with kSwapsOutTbs
  kSwapsOutTbs,          ///< thread blocks may be swapped out of an SM without retiring
  kCountsRetired,        ///< counts on it that thread blocks leave an SM only to retire (docs/gpu/moving.md, "Hooks")
  kNeedsExecution,       ///< requires SMs that execute instructions, not SMs that replay service times
  kNeedsDeviceLaunches,  ///< requires launches by device code
};

/// Returns the claim in words: "decides which warp issues".
[[nodiscard]] const char* meaning(Claim claim);

/// Name, claims and register window (-1 = none) of a block, for check_claims.
struct Claimant {
  std::string block;
  std::vector<Claim> claims;
  int window = -1;
};

/// Throws InputError if two of the blocks exclude each other (the message names both) or share a register window, or if
/// a block requires something that the machine does not have.
void check_claims(const gpu::Machine& machine, const std::vector<Claimant>& blocks);

}  // namespace castor::hookup
