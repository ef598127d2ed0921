#include "castor/hookup/claims.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::hookup {
namespace {

/// Claims that at most one block of a machine may have.
constexpr Claim kExclusive[] = {Claim::kOrdersJobs,   Claim::kPlacesTbs,  Claim::kAcceptsGroups, Claim::kOrdersSources,
                                Claim::kFiltersFetch, Claim::kPicksWarps, Claim::kSynchronises,  Claim::kMovesContexts};

bool has(const Claimant& block, Claim claim) {
  return std::find(block.claims.begin(), block.claims.end(), claim) != block.claims.end();
}

[[noreturn]] void exclude(const Claimant& first, const Claimant& second, const std::string& why,
                          const std::string& otherwise = "") {
  throw base::InputError("blocks " + first.block + " and " + second.block + " exclude each other: " + why,
                         "disable one of them" + otherwise);
}

// Returns a hint for the error message about two blocks that both place thread blocks: a block that takes groups can
// leave the placement to a block that also places groups.
std::string leave_places(const Claimant& taking, const Claimant& knowing) {
  if (!has(taking, Claim::kAcceptsGroups) || !has(knowing, Claim::kKnowsGroups)) return "";
  return ", or let block " + knowing.block + " place thread blocks for " + taking.block + " (blocks." + taking.block +
         ".dispatch=0)";
}

// Checks blocks against launches by device code: a job scheduler excludes them, and an order of kernels excludes
// groups.
void check_launches(const Claimant& first, const Claimant& second) {
  if (has(first, Claim::kOrdersJobs) && has(second, Claim::kNeedsDeviceLaunches)) {
    exclude(first, second, "where " + first.block + " decides which job is next there are no launches by device code");
  }
  if (has(first, Claim::kOrdersSources) && has(second, Claim::kAcceptsGroups)) {
    exclude(first, second, first.block + " orders kernels that device code launches, and knows no groups");
  }
}

void check_pair(const Claimant& first, const Claimant& second) {
  for (const Claim claim : kExclusive) {
    if (has(first, claim) && has(second, claim)) {
      const bool places = claim == Claim::kPlacesTbs;
      exclude(first, second, std::string("each ") + meaning(claim),
              places ? leave_places(first, second) + leave_places(second, first) : "");
    }
  }
  const auto meet = [](const Claimant& leaving, const Claimant& counting) {
    return has(leaving, Claim::kSwapsOutTbs) && has(counting, Claim::kCountsRetired);
  };
  if (meet(first, second)) {
    exclude(
        first, second,
        second.block + " needs thread blocks that stay until they retire, " + first.block + " swaps them out before");
  }
  if (meet(second, first)) {
    exclude(
        first, second,
        first.block + " needs thread blocks that stay until they retire, " + second.block + " swaps them out before");
  }
  check_launches(first, second);
  check_launches(second, first);
  if (first.window >= 0 && first.window == second.window) {
    exclude(first, second, "both serve register window " + std::to_string(first.window));
  }
}

}  // namespace

const char* meaning(Claim claim) {
  switch (claim) {
    case Claim::kOrdersJobs:
      return "decides which job is next";
    case Claim::kPlacesTbs:
      return "decides which thread block is placed next";
    case Claim::kKnowsGroups:
      return "places thread blocks of groups";
    case Claim::kAcceptsGroups:
      return "decides which groups run with a resident kernel";
    case Claim::kOrdersSources:
      return "decides which launch enters the kernel table next";
    case Claim::kFiltersFetch:
      return "decides which instructions are fetched";
    case Claim::kPicksWarps:
      return "decides which warp issues";
    case Claim::kGovernsSms:
      return "limits the clock of an SM and the thread blocks that it accepts";
    case Claim::kSynchronises:
      return "controls how thread blocks synchronise over the device";
    case Claim::kMovesContexts:
      return "moves the contexts of thread blocks";
    case Claim::kSwapsOutTbs:
      return "lets thread blocks leave an SM without retiring";
    case Claim::kCountsRetired:
      return "needs thread blocks that stay on their SM until they retire";
    case Claim::kNeedsExecution:
      return "needs SMs that execute instructions";
    case Claim::kNeedsDeviceLaunches:
      return "needs launches by device code";
  }
  return "";
}

void check_claims(const gpu::Machine& machine, const std::vector<Claimant>& blocks) {
  std::vector<const Claimant*> sorted;
  sorted.reserve(blocks.size());
  for (const Claimant& block : blocks) sorted.push_back(&block);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->block < b->block; });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = i + 1; j < sorted.size(); ++j) check_pair(*sorted[i], *sorted[j]);
    const Claimant& block = *sorted[i];
    if (machine.replay.enable && has(block, Claim::kNeedsExecution)) {
      throw base::InputError(
          "block " + block.block + " and replay.enable exclude each other: a replayed SM executes no instructions",
          "disable one of them");
    }
    if (has(block, Claim::kAcceptsGroups) && !has(block, Claim::kPlacesTbs) &&
        std::none_of(sorted.begin(), sorted.end(),
                     [](const auto* other) { return has(*other, Claim::kKnowsGroups); })) {
      throw base::InputError("block " + block.block + " needs a block that " + meaning(Claim::kKnowsGroups),
                             "enable one, or let block " + block.block + " place thread blocks itself");
    }
    if (has(block, Claim::kNeedsDeviceLaunches) && (machine.parse.select_scan != 0 || machine.queue.in_memory)) {
      throw base::InputError("block " + block.block + " needs launches by device code, which a machine does not have " +
                                 "whose queues are scanned in memory (queue.in_memory, parse.select_scan)",
                             "disable the block");
    }
  }
}

}  // namespace castor::hookup
