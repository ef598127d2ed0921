#include "castor/gpu/sm/warp_groups.h"

#include "castor/base/error.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

WarpGroups::WarpGroups(const Machine& machine)
    : by_thread_block_(machine.issue.policy == IssuePolicy::kCatls),
      group_warps_(by_thread_block_ ? machine.issue.catls_group : machine.issue.tl_group),
      schedulers_(machine.schedulers),
      state_(machine.schedulers),
      group_of_(machine.sm.warps) {
  const unsigned mine = (machine.sm.warps + schedulers_ - 1) / schedulers_;
  // With catls, a thread block opens a new group only if all other groups are full, so there are at most as many groups
  // as warps.
  groups_ = by_thread_block_ ? mine : (mine + group_warps_ - 1) / group_warps_;
  for (Scheduler& scheduler : state_) {
    scheduler.members.resize(groups_);
    scheduler.last.resize(groups_, static_cast<std::uint8_t>(machine.sm.warps - 1));
  }
  if (by_thread_block_) return;
  for (unsigned w = 0; w < machine.sm.warps; ++w) {
    const unsigned group = w / schedulers_ / group_warps_;
    group_of_[w] = static_cast<std::uint8_t>(group);
    state_[w % schedulers_].members[group] |= WarpMask{1} << w;
  }
}

void WarpGroups::place(WarpMask warps) {
  if (!by_thread_block_) return;
  for (unsigned s = 0; s < schedulers_; ++s) {
    WarpMask mine = 0;
    for (WarpMask left = warps; left != 0; left &= left - 1) {
      if (lowest(left) % schedulers_ == s) mine |= left & -left;
    }
    if (mine == 0) continue;
    std::vector<WarpMask>& members = state_[s].members;
    unsigned group = 0;
    while (static_cast<unsigned>(__builtin_popcountll(members[group])) >= group_warps_) {
      ++group;
      CASTOR_ASSERT(group < groups_, "more warps on a scheduler than it has");
    }
    members[group] |= mine;
    for (; mine != 0; mine &= mine - 1) group_of_[lowest(mine)] = static_cast<std::uint8_t>(group);
  }
}

void WarpGroups::release(WarpMask warps) {
  if (!by_thread_block_) return;
  for (Scheduler& scheduler : state_) {
    for (WarpMask& members : scheduler.members) members &= ~warps;
  }
}

unsigned WarpGroups::pick(unsigned s, WarpMask candidates, WarpMask live, WarpMask waiting) const {
  const Scheduler& scheduler = state_[s];
  const WarpMask active = scheduler.members[scheduler.active];
  if ((candidates & active) != 0) return next_after(candidates & active, scheduler.last[scheduler.active]);
  if (!by_thread_block_ && (active & live & ~waiting) != 0) return kNone;
  for (unsigned i = 1; i < groups_; ++i) {
    const unsigned group = (scheduler.active + i) % groups_;
    const WarpMask here = candidates & scheduler.members[group];
    if (here != 0) return next_after(here, scheduler.last[group]);
  }
  return kNone;
}

void WarpGroups::issued(unsigned s, unsigned w) {
  Scheduler& scheduler = state_[s];
  scheduler.active = group_of_[w];
  scheduler.last[scheduler.active] = static_cast<std::uint8_t>(w);
}

}  // namespace castor::gpu
