#include "castor/gpu/front_end/preemptor.h"

#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {
namespace {

// Returns the SMs that can save TBs, with null for every other SM. Empty if the machine has no job scheduler or no
// context mover.
std::vector<TbSaver*> savers_of(const FrontEndParts& parts) {
  std::vector<TbSaver*> savers;
  if (parts.hooks.job_scheduler == nullptr || parts.machine.context.mover != ContextMover::kAnalytic) return savers;
  for (SmUnit* const sm : parts.sms) {
    savers.push_back(dynamic_cast<TbSaver*>(sm));
    if (savers.back() != nullptr) savers.back()->set_saved_reader(parts.front_end);
  }
  return savers;
}

}  // namespace

Preemptor::Preemptor(const FrontEndParts& parts)
    : Preemptor(parts.machine, savers_of(parts), parts.table, parts.ledger, parts.dispatcher, parts.events) {}

Preemptor::Preemptor(const Machine& machine, std::vector<TbSaver*> savers, KernelTable& table, Ledger& ledger,
                     Dispatcher& dispatcher, HookEvents& events)
    : machine_(machine),
      savers_(std::move(savers)),
      table_(table),
      ledger_(ledger),
      dispatcher_(dispatcher),
      events_(events) {
  for (std::size_t sm = 0; sm < savers_.size(); ++sm) movable_.set(sm, savers_[sm] != nullptr);
}

void Preemptor::preempt(const QueueMask& queues, Cycle now) {
  const QueueMask begun = queues & ~queues_;
  queues_ = queues;
  if (begun.none()) return;
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    const bool saves = kernel.state == EntryState::kWritten && !kernel.killed && begun[kernel.context().queue];
    if (saves && !kernel.context().all_resident) save(entry, now);
  }
}

// Saves the TBs of a kernel. All contexts go through one mover, SM by SM. The time slot of a TB that completes before
// its move stays unused.
void Preemptor::save(unsigned entry, Cycle now) {
  const KernelContext& context = table_[entry].context();
  const Cycle each = context_move_time(machine_, context.need);
  for (unsigned sm = 0; sm < savers_.size(); ++sm) {
    const unsigned tbs = ledger_.resident(sm, entry);
    if (tbs == 0 || savers_[sm] == nullptr) continue;
    mover_free_ = std::max(mover_free_, now + 1);
    savers_[sm]->save({now + 1, &context, context.ticket, mover_free_ - (now + 1), each});
    mover_free_ += tbs * each;
  }
}

void Preemptor::take_saved(unsigned sm, Cycle now) {
  Mailbox<SavedTb>& wire = savers_[sm]->saved();
  while (const SavedTb* const tb = wire.head(now)) {
    const KernelEntry& kernel = table_.of(*tb->kernel);
    const std::uint16_t entry = kernel.context().entry;
    CASTOR_ASSERT_AT(now, kernel.running > 0, "SM %u swaps out a TB of %s, which has no TB on an SM", sm,
                     tb->kernel->program->kernel.c_str());
    ledger_.credit(sm, entry, kernel.context().need);
    table_.save(entry);
    events_.left(tb_event(*tb->kernel, sm, tb->gid));
    saved_.push_back({kernel.record, *tb});
    wire.pop();
    if (kernel.killed) stopped(entry);
  }
}

void Preemptor::stopped(unsigned entry) {
  const LaunchRecord* const record = table_[entry].record;
  saved_.erase(std::remove_if(saved_.begin(), saved_.end(), [&](const Saved& tb) { return tb.record == record; }),
               saved_.end());
  table_.drop_saved(entry);
}

// Returns the SMs to which a saved TB may go now.
SmMask Preemptor::room_for(const Saved& saved) const {
  if (queues_[saved.record->context.queue]) return {};
  return dispatcher_.sms_for_restored(saved.entry()) & movable_;
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
  for (const Saved& saved : saved_) {
    if (queues_[saved.record->context.queue]) continue;
    const SmMask room = dispatcher_.room_again(saved.entry()) & movable_;
    if (!found || room.any()) state.fits_head = room;
    found = true;
    if (room.any()) return;
  }
}

void Preemptor::restore_first(Cycle now) {
  const std::size_t found = restorable();
  if (found == saved_.size()) return;
  const Saved saved = saved_[found];
  const unsigned sm = dispatcher_.place_restored(saved.entry(), room_for(saved), now);
  mover_free_ = std::max(mover_free_, now + 1) + context_move_time(machine_, saved.record->context.need);
  savers_[sm]->restore({now + 1, saved.tb, mover_free_ - (now + 1)});
  table_.restore(saved.entry());
  events_.restored(tb_event(*saved.tb.kernel, sm, saved.tb.gid));
  saved_.erase(saved_.begin() + static_cast<std::ptrdiff_t>(found));
}

}  // namespace castor::gpu
