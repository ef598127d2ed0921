#include "castor/gpu/front_end/launch_side.h"

#include <algorithm>

namespace castor::gpu {

LaunchSide::LaunchSide(const Parts& parts, const Hooks& hooks, const HookPlace& place, Observer* observer,
                       base::StatisticGroup& statistics)
    : table_(parts.table),
      lanes_(parts.lanes),
      policy_(parts.policy),
      retire_(parts.retire),
      release_(parts.release),
      launcher_(parts.machine, parts.store, parts.programs, parts.sms, parts.table, parts.trees,
                parts.memory.client(FrontEndMemory::User::kPool), observer, statistics, hooks.sources),
      suspender_(parts.sms, parts.table, parts.ledger, parts.dispatcher, parts.retire, launcher_, parts.lanes,
                 statistics),
      unit_(hooks.launch, place, parts.events),
      order_(hooks.sources, parts.machine.chip.sms, place),
      groups_(parts.machine, parts.sms, parts.table, parts.dispatcher, parts.policy, unit_, launcher_, parts.trees,
              parts.memory.client(FrontEndMemory::User::kGroups)) {}

void LaunchSide::take(Cycle now) {
  if (!launcher_.on()) return;
  for (const BlockId block : retire_.take_callers()) launcher_.end_block(block);
  suspender_.take(now);
}

void LaunchSide::close_launches(Cycle now) {
  release_.close(now);
  for (const BlockId block : launcher_.take_childless()) {
    if (!suspender_.children_closed(block)) launcher_.tell_closed(block, now);
  }
  if ((table_.finished() & ~policy_.hold() & ~hold()).any()) return;
  const int entry = suspender_.deserted(policy_.hold() | unit_.hold());
  if (entry < 0) return;
  release_.detach(*table_[static_cast<unsigned>(entry)].record);
  suspender_.detach(static_cast<unsigned>(entry), now);
}

const SourcePick* LaunchSide::pick(const QueueMask& queues, bool entry_free, Cycle now) {
  picked_ = order_.settle(sources(queues, entry_free, false, now), now);
  return picked_ ? &*picked_ : nullptr;
}

Sources LaunchSide::sources(const QueueMask& queues, bool entry_free, bool in_next_cycle, Cycle cycle) const {
  Sources sources;
  sources.lists.resize(order_.shown().lists.size());
  if (!launcher_.on()) return sources;
  sources.returns = suspender_.ready(cycle, in_next_cycle);
  if (!entry_free) return sources;
  launcher_.ready_lists(sources.lists, in_next_cycle);
  sources.queues = queues;
  return sources;
}

bool LaunchSide::order_stirred(const QueueMask& queues, bool entry_free, Cycle now) const {
  if (!order_.on()) return false;
  return order_.granted() || sources(queues, entry_free, true, now + 1) != order_.shown();
}

void LaunchSide::hold_kernel(const isa::Program& program, bool on) {
  if (!unit_.on()) return;
  const std::pair<std::uint64_t, std::string> kernel(program.code_values, program.kernel);
  if (on)
    held_kernels_.insert(kernel);
  else
    held_kernels_.erase(kernel);
}

// Of kernels that are finished; others stay in any case.
KdMask LaunchSide::held_by_host() const {
  KdMask held;
  const KdMask& finished = table_.finished();
  for (std::size_t entry = finished._Find_first(); entry < finished.size(); entry = finished._Find_next(entry)) {
    const KernelEntry& kernel = table_[static_cast<unsigned>(entry)];
    const isa::Program& program = *kernel.context().program;
    held[entry] = !kernel.killed && held_kernels_.count({program.code_values, program.kernel}) != 0;
  }
  return held;
}

Cycle LaunchSide::next(Cycle now) const {
  if (!launcher_.on()) return kForever;
  if (suspender_.ready(now + 1) && !lanes_.full()) return std::max(lanes_.next_start(), now + 1);
  return std::min({launcher_.next(now), suspender_.next(policy_.hold() | unit_.hold(), now), groups_.next(now)});
}

}  // namespace castor::gpu
