// Preempted queues: their TBs are saved, and come back (docs/gpu.md, "Preemption").

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/front_end/front_end.h"

namespace castor::gpu {

// Cycles in which a TB's registers and shared memory move.
Cycle FrontEnd::move_cycles(const KernelContext& kernel) const {
  const std::uint64_t registers = std::uint64_t{kernel.need.reg_units} * machine_.sm.reg_alloc_unit * 4;
  const std::uint64_t shared = std::uint64_t{kernel.need.smem_units} * machine_.sm.smem_alloc_unit;
  return (registers + shared + machine_.context.bytes_per_cycle - 1) / machine_.context.bytes_per_cycle;
}

// The job scheduler begins to preempt these queues.
void FrontEnd::preempt(const QueueMask& queues, Cycle now) {
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state == EntryState::kWritten && !kernel.killed && queues[kernel.context.queue]) save_tbs(entry, now);
  }
}

// All contexts go through one mover, SM by SM. TBs that are complete before their turn leave theirs unused.
void FrontEnd::save_tbs(unsigned entry, Cycle now) {
  const KernelContext& context = table_[entry].context;
  const Cycle each = move_cycles(context);
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    const unsigned tbs = ledger_.resident(sm, entry);
    if (tbs == 0 || savers_[sm] == nullptr) continue;
    mover_free_ = std::max(mover_free_, now + 1);
    savers_[sm]->save({now + 1, &context, mover_free_ - (now + 1), each});
    mover_free_ += tbs * each;
  }
}

// F2: TBs that have left before they were complete. Of a stopped kernel that is their end.
void FrontEnd::take_saved(unsigned sm, Cycle now) {
  Mailbox<SavedTb>& wire = savers_[sm]->saved();
  while (const SavedTb* const tb = wire.head(now)) {
    const KernelEntry& kernel = table_.of(*tb->kernel);
    CASTOR_ASSERT_AT(now, kernel.running > 0, "SM %u gives up a TB of %s that it does not have", sm,
                     tb->kernel->program->kernel.c_str());
    ledger_.credit(sm, kernel.context.entry, kernel.context.need);
    table_.save(kernel.context.entry);
    saved_.push_back({kernel.context.entry, *tb});
    wire.pop();
    if (kernel.killed) drop_saved(kernel.context.entry);
  }
}

void FrontEnd::drop_saved(unsigned entry) {
  saved_.erase(std::remove_if(saved_.begin(), saved_.end(), [&](const Saved& tb) { return tb.entry == entry; }),
               saved_.end());
  table_.drop_saved(entry);
}

// SMs to which a saved TB may go now.
SmMask FrontEnd::room_for(const Saved& saved) const {
  const KernelContext& context = table_[saved.entry].context;
  if (preempted_[context.queue]) return 0;
  SmMask set = dispatcher_.takers_again(saved.entry);
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    if (savers_[sm] == nullptr) set &= ~(SmMask{1} << sm);
  }
  return set;
}

// The TB that was saved first, of those for which there is room; saved_.size() = none.
std::size_t FrontEnd::restorable() const {
  std::size_t i = 0;
  while (i < saved_.size() && room_for(saved_[i]) == 0) ++i;
  return i;
}

// F5: a TB that comes back takes the placement of the cycle. Hooks do not see it again.
void FrontEnd::restore(Cycle now) {
  const std::size_t found = restorable();
  if (found == saved_.size()) return;
  const Saved saved = saved_[found];
  const KernelContext& context = table_[saved.entry].context;
  const unsigned sm = dispatcher_.place_again(saved.entry, room_for(saved), now);
  mover_free_ = std::max(mover_free_, now + 1) + move_cycles(context);
  savers_[sm]->restore({now + 1, saved.tb, mover_free_ - (now + 1)});
  table_.restore(saved.entry);
  saved_.erase(saved_.begin() + static_cast<std::ptrdiff_t>(found));
}

}  // namespace castor::gpu
