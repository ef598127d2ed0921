#include "castor/gpu/front_end/launch_side.h"

#include <algorithm>

namespace castor::gpu {

LaunchSide::LaunchSide(const FrontEndParts& parts)
    : table_(parts.table),
      lanes_(parts.lanes),
      parse_(parts.parse),
      inspector_(parts.inspector),
      events_(parts.events),
      policy_(parts.policy),
      retire_(parts.retire),
      release_(parts.release),
      launcher_(parts.machine, parts.store, parts.programs, parts.sms, parts.table, parts.trees,
                parts.memory.client(FrontEndMemory::User::kPool), parts.observer, parts.place.statistics,
                parts.hooks.sources),
      suspender_(parts.machine, parts.sms, parts.table, parts.ledger, parts.dispatcher, parts.retire, launcher_,
                 parts.lanes, parts.events, parts.place.statistics),
      unit_(parts.hooks.launch, parts.place, parts.events),
      order_(parts.hooks.sources, parts.machine.chip.sms, parts.place),
      groups_(parts.machine, parts.sms, parts.table, parts.dispatcher, parts.policy, unit_, launcher_, parts.trees,
              parts.memory.client(FrontEndMemory::User::kGroups)) {}

void LaunchSide::accept_messages(Cycle now) {
  for (const BlockId block : retire_.take_callers()) launcher_.end_block(block);
  suspender_.take(now);
}

void LaunchSide::close(Cycle now) {
  if (!launcher_.on()) return;
  for (LaunchRecord* const record : launcher_.close()) release_.close(*record, now);
  for (const BlockId block : launcher_.take_childless()) {
    if (!suspender_.children_closed(block)) launcher_.notify_closed(block, now);
  }
  if ((table_.finished() & ~policy_.hold() & ~hold()).any()) return;
  const int entry = suspender_.deserted(policy_.hold() | unit_.hold());
  if (entry < 0) return;
  release_.detach(*table_[static_cast<unsigned>(entry)].record);
  suspender_.detach(static_cast<unsigned>(entry), now);
}

std::optional<int> LaunchSide::choose(Cycle now) {
  if (!order_.on()) return std::nullopt;
  if (!launcher_.on()) {
    if (order_.accessed()) static_cast<void>(order_.settle(sources({}, false, now), now));
    return std::nullopt;
  }
  picked_ = order_.settle(sources(parse_.ready(), false, now), now);
  return parse_.source_of(picked_ ? &*picked_ : nullptr);
}

bool LaunchSide::grant(unsigned source, Cycle now, ParseStage::Granted& granted) {
  if (picked_) order_.grant();
  if (source == parse_.return_source()) {
    const int entry = suspender_.grant(now);
    granted = {static_cast<unsigned>(entry), parse_.returned(entry, now)};
    return true;
  }
  if (source != parse_.device_source()) return false;
  granted = parse_.grant(picked_ ? launcher_.grant(picked_->sm, picked_->level) : launcher_.grant(), now);
  return true;
}

Sources LaunchSide::sources(const QueueMask& queues, bool in_next_cycle, Cycle cycle) const {
  Sources sources;
  sources.lists.resize(order_.shown().lists.size());
  if (!launcher_.on()) return sources;
  sources.returns = suspender_.ready(cycle, in_next_cycle);
  if (!parse_.entry_free(cycle)) return sources;
  launcher_.ready_lists(sources.lists, in_next_cycle);
  sources.queues = queues;
  return sources;
}

// Returns whether the inputs of the launch unit or the source order differ in the next cycle.
bool LaunchSide::stirred() const {
  if (unit_.stirred()) return true;
  return order_.on() && (order_.granted() || order_.accessed() ||
                         sources(inspector_.grantable(), true, events_.cycle() + 1) != order_.shown());
}

void LaunchSide::hold_kernel(const isa::Program& program, bool on) {
  if (!unit_.on()) return;
  const std::pair<std::uint64_t, std::string> kernel(program.code_values, program.kernel);
  if (on)
    held_kernels_.insert(kernel);
  else
    held_kernels_.erase(kernel);
}

void LaunchSide::device_reset() {
  launcher_.reset();
  held_kernels_.clear();
  if (order_.on()) order_.reset();
  if (!unit_.on()) return;
  policy_.reset();
  unit_.reset();
}

// Returns the entries of finished kernels that the host holds. Unfinished kernels need no hold: they stay in the table.
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

Cycle LaunchSide::next_work(Cycle now) const {
  if (!launcher_.on()) return kForever;
  if (suspender_.ready(now + 1) && !lanes_.full()) return std::max(lanes_.next_start(), now + 1);
  return std::min({launcher_.next(now), suspender_.next(policy_.hold() | unit_.hold(), now), groups_.next(now)});
}

}  // namespace castor::gpu
