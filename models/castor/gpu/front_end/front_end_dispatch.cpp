#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/front_end/front_end.h"

namespace castor::gpu {

DispatchView FrontEnd::view() const {
  return {ledger_, governors_.open() & ledger_.all(), governors_.quota(), stopped_.any() ? &stopped_ : nullptr};
}

// F5: at most one TB in the whole GPU.
void FrontEnd::distribute(Cycle now) {
  if (!saved_.empty()) restore(now);
  if (policy_.on()) {
    distribute_by_policy(now);
    return;
  }
  if (scan_.on()) {
    distribute_by_scan(now);
    return;
  }
  if (placed_ || dispatcher_.empty()) return;
  const FcfsDispatcher::Choice choice = dispatcher_.choose(view(), search_, now);
  if (choice.entry < 0) return;
  search_.chosen(choice.sm);
  place(static_cast<unsigned>(choice.entry), choice.sm, {}, now);
}

void FrontEnd::distribute_by_scan(Cycle now) {
  scan_.advance(dispatcher_.oldest(view()), now);
  if (placed_ || scan_.offer() < 0) return;
  const auto entry = static_cast<unsigned>(scan_.offer());
  const SmMask takers = view().takers(entry);
  if (takers == 0) return;
  const unsigned sm = search_.first(takers);
  search_.chosen(sm);
  place(entry, sm, {}, now);
}

void FrontEnd::distribute_by_policy(Cycle now) {
  show_fits();
  const SmMask open = governors_.open() & ledger_.all();
  const Maybe<Placement>& offered = policy_.settle(fits_, open, governors_.quota(), now);
  if (!offered) return;
  const Placement offer = *offered;
  CASTOR_ASSERT_AT(now, offer.kd < table_.size() && table_[offer.kd].state == EntryState::kWritten,
                   "dispatch policy offers entry %u: not there", offer.kd);
  const KernelEntry& kernel = table_[offer.kd];
  CASTOR_ASSERT_AT(now, kernel.sequencer.left() > 0 && offer.position == kernel.sequencer.next(),
                   "dispatch policy offers position %u of entry %u, %llu is next", offer.position, offer.kd,
                   static_cast<unsigned long long>(kernel.sequencer.next()));
  if (placed_) return;  // a TB that comes back goes before
  const SmMask takers = kernel.killed ? open : view().takers(offer.kd);
  const bool any = offer.sm == Placement::kAnySm;
  CASTOR_ASSERT_AT(now,
                   any || (offer.sm < ledger_.sms() && (kernel.killed || ledger_.fits(offer.sm, kernel.context.need))),
                   "dispatch policy offers a TB of entry %u to SM %u, where it does not fit", offer.kd, offer.sm);
  if (takers == 0 || (!any && (takers >> offer.sm & 1) == 0)) {
    ++offers_refused_;
    return;
  }
  const unsigned sm = any ? search_.first(takers) : offer.sm;
  policy_.take();
  if (any) search_.chosen(sm);
  if (kernel.killed) {
    drop_offered(offer.kd, sm, now);
  } else {
    place(offer.kd, sm, offer, now);
  }
}

void FrontEnd::place(unsigned entry, unsigned sm, const Placement& placement, Cycle now) {
  const KernelEntry& kernel = table_[entry];
  const KernelContext& context = kernel.context;
  CASTOR_ASSERT_AT(now, !placed_, "two placements in a cycle");
  CASTOR_ASSERT_AT(now, !kernel.killed && (governors_.open() >> sm & 1) != 0, "TB of entry %u placed on closed SM %u",
                   entry, sm);
  ledger_.debit(sm, entry, context.need, now);
  const KernelTable::NextTb tb = table_.place(entry, now);
  TbStartMessage message;
  message.visible = now + 1;
  message.kernel = &context;
  message.position = tb.position;
  message.gid = tb.gid;
  message.acquire = context.written;
  message.divide = placement.linear && (context.grid.y > 1 || context.grid.z > 1);
  sms_[sm]->start(message);
  placed_ = true;
  jobs_.placed(context.queue, tb.last, now);
  if (events_.on()) {
    TbEvent event = tb_event(context, sm, tb.gid);
    event.first = tb.first;
    event.last = tb.last;
    events_.placed(event);
  }
  dispatcher_.placed(entry);
  if (tb.last) {
    ledger_.unwatch(entry);
    dispatcher_.remove(entry);
  }
  if (observer_ != nullptr) observer_->tb_placed({now, sm, 0, &context, tb.gid, 0});
}

// What holds until the next tick, for counters that grow with time.
void FrontEnd::set_level(Cycle now) {
  FrontEndStatistics::Levels levels;
  levels.lanes = lanes_.busy();
  levels.blocked = queues_.blocked();
  levels.entries = table_.valid();
  levels.busy = ledger_.resident_total() != 0;
  placeable_ = false;
  if (!policy_.on() && scan_.on()) {
    const int oldest = dispatcher_.oldest(view());
    scan_.rest(oldest);
    placeable_ = oldest >= 0;
    if (!dispatcher_.empty() && oldest < 0) levels.wait = dispatcher_.choose(view(), search_, now).wait;
  } else if (!policy_.on() && !dispatcher_.empty()) {
    // After a placement the next cycle is looked at in any case: its reason for waiting is another.
    placeable_ = placed_ || dispatcher_.pending(view());
    if (!placeable_) levels.wait = dispatcher_.choose(view(), search_, now).wait;
  }
  statistics_.set(levels, now);
}

}  // namespace castor::gpu
