#include "castor/gpu/sm/pick_policy.h"

#include <optional>

namespace castor::gpu {
namespace {

// Calls `one(scheduler, which, ready)` to choose a warp for each pick of each scheduler that has a ready warp for the
// pick.
template <class One>
inline void pick_each(const Schedulers& schedulers, const Candidates& candidates, Picks& picks, One one) {
  if (schedulers.picks == 1) {
    for (unsigned s = 0; s < schedulers.count; ++s) {
      const WarpMask mine = candidates.ready & schedulers.warps[s];
      if (mine != 0) picks[s][0] = static_cast<std::int8_t>(one(s, 0U, mine));
    }
    return;
  }
  for (unsigned s = 0; s < schedulers.count; ++s) {
    WarpMask mine = candidates.ready & schedulers.warps[s];
    if (mine == 0) continue;
    if (schedulers.by_class()) {
      for (unsigned c = 0; c < kMaxPicks; ++c) {
        const WarpMask here = mine & candidates.issue_class[c];
        if (here != 0) picks[s][c] = static_cast<std::int8_t>(one(s, c, here));
      }
      continue;
    }
    for (unsigned j = 0; j < schedulers.picks && mine != 0; ++j) {
      const unsigned w = one(s, j, mine);
      picks[s][j] = static_cast<std::int8_t>(w);
      mine &= ~warp_bit(w);
    }
  }
}

}  // namespace

void OldestFirst::pick(const Candidates& candidates, Picks& picks) const {
  pick_each(schedulers_, candidates, picks,
            [this](unsigned /*scheduler*/, unsigned /*which*/, WarpMask ready) { return ages_.oldest(ready); });
}

void GreedyThenOldest::pick(const Candidates& candidates, Picks& picks) const {
  pick_each(schedulers_, candidates, picks, [this](unsigned scheduler, unsigned which, WarpMask ready) -> unsigned {
    const unsigned greedy = greedy_[scheduler][which];
    if (greedy < kMaxWarps && (ready & warp_bit(greedy)) != 0) return greedy;
    return ages_.oldest(ready);
  });
}

void GreedyThenOldest::left(WarpMask warps) {
  for (auto& greedy : greedy_) {
    for (std::uint8_t& w : greedy) {
      if (w < kMaxWarps && (warps & warp_bit(w)) != 0) w = kNone;
    }
  }
}

void LooseRoundRobin::pick(const Candidates& candidates, Picks& picks) const {
  auto last = last_;
  pick_each(schedulers_, candidates, picks, [&](unsigned scheduler, unsigned /*which*/, WarpMask ready) {
    const unsigned w = next_after(ready, last[scheduler]);
    // The next pick of the tick continues after this warp; with picks by class, each class has one pick.
    if (!schedulers_.by_class()) last[scheduler] = static_cast<std::uint8_t>(w);
    return w;
  });
}

void TwoLevel::pick(const Candidates& candidates, Picks& picks) const {
  // With several picks per scheduler, a pick assumes that the earlier picks issue. A copy of the groups tracks that
  // assumption.
  std::optional<WarpGroups> trial;
  if (schedulers_.picks > 1) trial = groups_;
  for (unsigned s = 0; s < schedulers_.count; ++s) {
    WarpMask mine = candidates.ready & schedulers_.warps[s];
    for (unsigned j = 0; j < schedulers_.picks && mine != 0; ++j) {
      const unsigned w = (trial ? *trial : groups_).pick(s, mine, candidates.live, candidates.waiting);
      if (w == WarpGroups::kNone) break;
      picks[s][j] = static_cast<std::int8_t>(w);
      mine &= ~warp_bit(w);
      if (trial) trial->issued(s, w);
    }
  }
}

std::unique_ptr<PickPolicy> make_pick_policy(const Machine& machine, const AgeOrder& ages) {
  switch (machine.issue.policy) {
    case IssuePolicy::kGto:
      return std::make_unique<GreedyThenOldest>(machine, ages);
    case IssuePolicy::kLrr:
      return std::make_unique<LooseRoundRobin>(machine);
    case IssuePolicy::kTl:
    case IssuePolicy::kCatls:
      return std::make_unique<TwoLevel>(machine);
    case IssuePolicy::kOldest:
      break;
  }
  return std::make_unique<OldestFirst>(machine, ages);
}

}  // namespace castor::gpu
