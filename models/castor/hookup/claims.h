#pragma once

#include <string>
#include <vector>

#include "castor/gpu/machine.h"

namespace castor::hookup {

/// What a block does to a machine, and what it needs of it. Who may stand beside whom follows from these alone.
enum class Claim : std::uint8_t {
  kOrdersJobs,           ///< hook job_scheduler: which queue is next, is a job admitted
  kPlacesTbs,            ///< hook dispatch: which thread block goes to which SM next
  kKnowsGroups,          ///< hook dispatch: places TBs of groups too, which are pushed
  kTakesGroups,          ///< hook launch: which groups run with a resident kernel; key `dispatch`: it places TBs too
  kOrdersSources,        ///< hook sources: which launch or queue enters the kernel table next; it knows no groups
  kFiltersFetch,         ///< hook fetch_filter: what is fetched and skipped
  kPicksWarps,           ///< hook issue: which warp issues
  kGovernsSms,           ///< hook governors; any number of blocks
  kTbsLeave,             ///< thread blocks leave an SM without retiring
  kCountsRetired,        ///< counts thread blocks by their retiring
  kNeedsExecution,       ///< needs SMs that execute instructions, not such that replay services
  kNeedsDeviceLaunches,  ///< needs launches by device code
};

/// In words: "decides which warp issues".
[[nodiscard]] const char* meaning(Claim claim);

/// A block by name, with its claims and its register window (-1 = none).
struct Claimant {
  std::string block;
  std::vector<Claim> claims;
  int window = -1;
};

/// Throws InputError if two of the blocks exclude each other (names both, whatever their order), have one register
/// window, or if one needs what the machine does not have.
void check_claims(const gpu::Machine& machine, const std::vector<Claimant>& blocks);

}  // namespace castor::hookup
