#include "castor/gpu/front_end/preemptor.h"

#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {
namespace {

// Returns the SMs whose TBs are saved: all, or none if the machine does not swap out TBs that the preemptor would
// restore.
std::vector<SmUnit*> savers_of(const FrontEndParts& parts) {
  const bool preempts = parts.hooks.job_scheduler != nullptr && parts.machine.context.mover != ContextMover::kDrain;
  return preempts || parts.machine.context.random != 0 ? parts.sms : std::vector<SmUnit*>{};
}

}  // namespace

Preemptor::Preemptor(const FrontEndParts& parts)
    : Preemptor(parts.machine, savers_of(parts), parts.table, parts.ledger, parts.dispatcher, parts.retire,
                parts.events) {}

Preemptor::Preemptor(const Machine& machine, std::vector<SmUnit*> sms, KernelTable& table, Ledger& ledger,
                     Dispatcher& dispatcher, RetireUnit& retire, HookEvents& events)
    : machine_(machine),
      sms_(std::move(sms)),
      table_(table),
      ledger_(ledger),
      dispatcher_(dispatcher),
      retire_(retire),
      events_(events) {}

void Preemptor::preempt(const QueueMask& queues, Cycle now) {
  const QueueMask begun = queues & ~queues_;
  changed_ = queues != queues_;
  queues_ = queues;
  if (begun.none() || machine_.context.mover == ContextMover::kDrain) return;
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    const bool saves = kernel.state == EntryState::kWritten && !kernel.killed && begun[kernel.context().queue];
    if (saves && !kernel.context().all_resident && !kernel.context().owned) save(entry, now);
  }
}

// Saves the TBs of a kernel. All contexts go through one mover, SM by SM. The time slot of a TB that completes before
// its move stays unused. Swap engines move contexts in their own time.
void Preemptor::save(unsigned entry, Cycle now) {
  const KernelContext& context = table_[entry].context();
  const Cycle each = context_move_time(machine_, context.need);
  for (SmUnit* const sm : sms_) {
    const unsigned tbs = ledger_.resident(sm->index(), entry);
    if (tbs == 0) continue;
    if (machine_.context.mover == ContextMover::kEngine) {
      sm->swap_out({now + 1, &context, context.ticket, 0, 0});
      continue;
    }
    mover_free_ = std::max(mover_free_, now + 1);
    sm->swap_out({now + 1, &context, context.ticket, mover_free_ - (now + 1), each});
    mover_free_ += tbs * each;
  }
}

void Preemptor::take_saved(SmUnit& sm, Cycle now) {
  while (const TbSaveMessage* const message = sm.saved().head(now)) {
    const std::shared_ptr<const SavedTb> tb = message->tb;
    sm.saved().pop();
    const KernelEntry& kernel = table_.of(*tb->kernel);
    const std::uint16_t entry = kernel.context().entry;
    CASTOR_ASSERT_AT(now, kernel.running > 0, "SM %u swaps out a TB of %s, which has no TB on an SM", sm.index(),
                     tb->kernel->program->kernel.c_str());
    ledger_.credit(sm.index(), entry, kernel.context().need);
    table_.save(entry);
    events_.left(tb_event(*tb->kernel, sm.index(), tb->gid));
    const SwappedTb saved{tb, &table_.record_of(*tb->kernel)};
    const bool group_stopped = tb->group != kNoGroup && table_.groups().at(tb->group).stopped;
    if (kernel.killed || group_stopped)
      drop(saved);
    else
      saved_.push_back(saved);
  }
}

void Preemptor::drop(const SwappedTb& saved) {
  if (saved.tb->caller != 0) retire_.end_caller(saved.tb->caller);
  table_.take_back(saved.entry());
  retire_.drop(tb_event(saved.record->context, 0, saved.tb->gid), 0);
}

// Drops the saved TBs for which `gone` holds, in their order.
template <class Gone>
void Preemptor::drop_if(Gone&& gone) {
  const auto first =
      std::stable_partition(saved_.begin(), saved_.end(), [&gone](const SwappedTb& saved) { return !gone(saved); });
  std::for_each(first, saved_.end(), [this](const SwappedTb& saved) { drop(saved); });
  saved_.erase(first, saved_.end());
}

void Preemptor::stopped(unsigned entry) {
  drop_if([entry](const SwappedTb& saved) { return saved.entry() == entry; });
}

void Preemptor::tree_stopped(const LaunchRecord& record) {
  drop_if(
      [&record](const SwappedTb& saved) { return saved.tb->group != kNoGroup && saved.record->root == record.root; });
}

// Returns whether a TB stays saved because its queue is preempted. Without a mover, TBs of a preempted queue run to
// their end, so a TB that was swapped out at random is restored for that.
bool Preemptor::held(const SwappedTb& saved) const {
  return machine_.context.mover != ContextMover::kDrain && queues_[saved.record->context.queue];
}

// Returns the SMs to which a saved TB may go now.
SmMask Preemptor::room_for(const SwappedTb& saved) const {
  if (held(saved)) return {};
  return dispatcher_.sms_for_restored(saved.entry());
}

// Returns the index of the oldest saved TB that fits on an SM; saved_.size() = none.
std::size_t Preemptor::restorable() const {
  std::size_t i = 0;
  while (i < saved_.size() && room_for(saved_[i]).none()) ++i;
  return i;
}

void Preemptor::add_waiting(DispatchState& state) const {
  state.waiting = state.waiting || !saved_.empty();
  bool found = false;
  for (const SwappedTb& saved : saved_) {
    if (held(saved)) continue;
    const SmMask room = dispatcher_.room_again(saved.entry());
    if (!found || room.any()) state.fits_head = room;
    found = true;
    if (room.any()) return;
  }
}

// The context of a TB that was swapped out at random moves on its own, that of a preempted TB through the mover.
void Preemptor::restore_first(Cycle now) {
  const std::size_t found = restorable();
  if (found == saved_.size()) return;
  const SwappedTb saved = saved_[found];
  const Cycle each = context_move_time(machine_, saved.record->context.need);
  const unsigned sm = dispatcher_.place_restored(saved.entry(), room_for(saved), now);
  Cycle load = each;
  if (saved.tb->reason == SwapReason::kPreemption && saved.tb->swap == nullptr) {
    mover_free_ = std::max(mover_free_, now + 1) + each;
    load = mover_free_ - (now + 1);
  }
  sms_[sm]->start(saved.start_message(now, load));
  table_.restore(saved.entry());
  events_.restored(tb_event(*saved.tb->kernel, sm, saved.tb->gid));
  saved_.erase(saved_.begin() + static_cast<std::ptrdiff_t>(found));
}

}  // namespace castor::gpu
