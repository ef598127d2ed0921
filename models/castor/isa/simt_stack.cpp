#include "castor/isa/simt_stack.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::isa {
namespace {

/// Lanes with the same branch target.
struct Group {
  std::uint32_t pc;
  LaneMask mask;
};

unsigned group_by_target(const std::uint32_t* target_of_lane, LaneMask lanes, Group* groups) {
  unsigned count = 0;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    Group* const end = groups + count;
    Group* const found =
        std::find_if(groups, end, [&](const Group& group) { return group.pc == target_of_lane[lane]; });
    if (found == end) groups[count++] = {target_of_lane[lane], 0};
    found->mask |= LaneMask{1} << lane;
  }
  std::sort(groups, groups + count, [](const Group& a, const Group& b) { return a.pc > b.pc; });
  return count;
}

}  // namespace

void SimtStack::start(LaneMask lanes, std::uint32_t pc) {
  entries_.clear();
  live_ = lanes;
  if (lanes != 0) entries_.push_back({pc, kNoPc, lanes, false, 0});
}

void SimtStack::branch(const BranchOp& op, LaneMask taken) {
  const Entry top = entries_.back();
  CASTOR_ASSERT((taken & ~top.mask) == 0, "a lane that is not active takes a branch");
  if (taken == top.mask) return jump(op.target);
  if (taken == 0) return advance();
  diverge(op.reconvergence);
  push({top.pc + 1, op.reconvergence, top.mask & ~taken, false, top.depth});
  push({op.target, op.reconvergence, taken, false, top.depth});
  settle();
}

void SimtStack::branch_indirect(const std::uint32_t* target_of_lane, LaneMask lanes, std::uint32_t reconvergence) {
  const Entry top = entries_.back();
  CASTOR_ASSERT((lanes & ~top.mask) == 0, "a lane that is not active takes a branch");
  std::uint32_t targets[kMaxLanes];
  for (unsigned lane = 0; lane < kMaxLanes; ++lane)
    targets[lane] = (lanes >> lane & 1) != 0 ? target_of_lane[lane] : top.pc + 1;
  Group groups[kMaxLanes];
  const unsigned count = group_by_target(targets, top.mask, groups);
  if (count == 1) return jump(groups[0].pc);
  diverge(reconvergence);
  for (unsigned i = 0; i < count; ++i) push({groups[i].pc, reconvergence, groups[i].mask, false, top.depth});
  settle();
}

void SimtStack::call(std::uint32_t target, LaneMask lanes) {
  if (lanes == 0) return advance();
  Entry& top = entries_.back();
  CASTOR_ASSERT((lanes & ~top.mask) == 0, "a lane that is not active calls");
  // Does not call settle(): an entry that has reached its reconvergence PC must stay below the frame until the callee
  // returns.
  ++top.pc;
  const unsigned depth = top.depth + 1;
  entries_.push_back({target, kNoPc, lanes, true, depth});
}

void SimtStack::call_indirect(const std::uint32_t* target_of_lane, LaneMask lanes) {
  if (lanes == 0) return advance();
  Entry& top = entries_.back();
  CASTOR_ASSERT((lanes & ~top.mask) == 0, "a lane that is not active calls");
  ++top.pc;
  const unsigned depth = top.depth + 1;
  Group groups[kMaxLanes];
  const unsigned count = group_by_target(target_of_lane, lanes, groups);
  for (unsigned i = 0; i < count; ++i) entries_.push_back({groups[i].pc, kNoPc, groups[i].mask, true, depth});
}

void SimtStack::ret(LaneMask lanes) {
  const auto frame = std::find_if(entries_.rbegin(), entries_.rend(), [](const Entry& entry) { return entry.frame; });
  if (frame == entries_.rend()) return exit(lanes);
  ++entries_.back().pc;
  for (auto entry = entries_.rbegin(); entry != frame + 1; ++entry) entry->mask &= ~lanes;
  settle();
}

void SimtStack::exit(LaneMask lanes) {
  live_ &= ~lanes;
  ++entries_.back().pc;
  for (Entry& entry : entries_) entry.mask &= ~lanes;
  settle();
}

void SimtStack::diverge(std::uint32_t reconvergence) {
  Entry& top = entries_.back();
  // If the paths reconverge at the reconvergence PC of the whole entry, the entry below takes over. A frame entry must
  // stay, because `ret` searches for it.
  if (top.reconvergence == reconvergence && !top.frame)
    entries_.pop_back();
  else
    top.pc = reconvergence;
}

void SimtStack::push(const Entry& entry) {
  if (entry.pc != entry.reconvergence) entries_.push_back(entry);
}

void SimtStack::settle() {
  while (!entries_.empty()) {
    const Entry& top = entries_.back();
    if (top.mask != 0 && top.pc != top.reconvergence) break;
    entries_.pop_back();
  }
}

}  // namespace castor::isa
