#include "castor/gpu/front_end/dispatcher.h"

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"

namespace castor::gpu {

Dispatcher::Dispatcher(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger,
                       const Governors& governors, DispatchPort& policy, RetireUnit& retire, JobTable& jobs,
                       HookEvents& events, Observer* observer, base::StatisticGroup& statistics)
    : sms_(sms),
      table_(table),
      ledger_(ledger),
      governors_(governors),
      policy_(policy),
      retire_(retire),
      jobs_(jobs),
      events_(events),
      observer_(observer),
      fcfs_(machine),
      scan_(machine.queue.count, machine.dispatch.select_scan),
      search_(machine.chip.sms),
      starts_(table, ledger),
      offers_refused_(statistics, {"offers_refused", "", "offers of a dispatch policy that could not be accepted"}) {}

void Dispatcher::push(unsigned entry) {
  const KernelContext& context = table_[entry].context();
  ledger_.watch(entry, context.need);
  if (context.all_resident) starts_.add(entry);
  if (!policy_.present()) fcfs_.push(entry);
  events_.pushed(*table_[entry].record);
}

bool Dispatcher::takes(unsigned entry) const {
  if (!policy_.present() || table_[entry].killed) return true;
  if (!starts_.empty()) return false;
  if (!table_[entry].context().all_resident) return true;
  for (unsigned other = 0; other < table_.size(); ++other) {
    const KernelEntry& kernel = table_[other];
    if (kernel.state == EntryState::kWritten && kernel.to_place() != 0 && !held_[other]) return false;
  }
  return true;
}

std::optional<std::uint64_t> Dispatcher::grid_room(unsigned entry) const {
  if (!starts_.has(entry) || table_[entry].started != 0) return std::nullopt;
  return starts_.room(entry, governors_.open(), governors_.quota());
}

void Dispatcher::push_group(const LaunchRecord& record) { events_.pushed(record); }

void Dispatcher::attach(unsigned entry) {
  const KernelEntry& kernel = table_[entry];
  if (!kernel.killed && kernel.to_place() != 0 && !ledger_.watches(entry)) ledger_.watch(entry, kernel.context().need);
}

// --- Placement ------------------------------------------------------------------------------------------------------

void Dispatcher::step(Cycle now) {
  if (governors_.any() && !policy_.present()) state_ = built_in_state();
  if (policy_.present()) {
    step_policy(now);
    return;
  }
  if (scan_.on()) {
    step_scan(now);
    return;
  }
  if (placed_at_ == now || fcfs_.empty()) return;
  const FcfsDispatcher::Choice choice = fcfs_.choose(view(), search_, now);
  if (choice.entry < 0) return;
  search_.chosen(choice.sm);
  place(*table_[static_cast<unsigned>(choice.entry)].record, choice.sm, false, now);
}

void Dispatcher::step_scan(Cycle now) {
  scan_.advance(fcfs_.oldest(view()), now);
  if (placed_at_ == now || scan_.offer() < 0) return;
  const auto entry = static_cast<unsigned>(scan_.offer());
  const SmMask takers = this->takers(entry);
  if (takers.none()) return;
  const unsigned sm = search_.first(takers);
  search_.chosen(sm);
  place(*table_[entry].record, sm, false, now);
}

void Dispatcher::step_policy(Cycle now) {
  const SmMask open = governors_.open() & ledger_.all();
  const Maybe<Placement>& offered =
      policy_.settle(show_fits(), open, governors_.quota(), now, starts_.empty() ? nullptr : withheld());
  if (!offered) return;
  const Placement offer = *offered;
  CASTOR_HOOK_CHECK(policy_, now, offer.kd < table_.size() && table_[offer.kd].state == EntryState::kWritten,
                    "dispatch policy offers entry %u: not there", offer.kd);
  check_offer(offer, now);
  if (placed_at_ == now) return;  // a swapped-out TB has used the placement of this cycle
  const KernelEntry& kernel = table_[offer.kd];
  const bool stopped = kernel.killed || (offer.group != kNoGroup && table_.groups().at(offer.group).stopped);
  const SmMask takers = stopped ? open : this->takers(offer.kd);
  const bool any = offer.sm == Placement::kAnySm;
  CASTOR_HOOK_CHECK(policy_, now,
                    any || (offer.sm < ledger_.sms() && (stopped || ledger_.fits(offer.sm, kernel.context().need))),
                    "dispatch policy offers a TB of entry %u to SM %u, where it does not fit", offer.kd, offer.sm);
  if (takers.none() || (!any && !takers[offer.sm])) {
    ++offers_refused_;
    return;
  }
  const unsigned sm = any ? search_.first(takers) : offer.sm;
  policy_.take();
  if (any) search_.chosen(sm);
  const LaunchRecord& record = offer.group == kNoGroup ? *kernel.record : *table_.groups().at(offer.group).record;
  if (stopped) {
    drop(record.context, sm, now);
  } else {
    place(record, sm, offer.linear, now);
  }
}

// Checks that the dispatch policy's description of the offered TB agrees with the kernel table.
void Dispatcher::check_offer(const Placement& offer, Cycle now) const {
  const KernelEntry& kernel = table_[offer.kd];
  std::uint64_t next = kernel.sequencer.next(), left = kernel.sequencer.left();
  if (offer.group != kNoGroup) {
    CASTOR_HOOK_CHECK(policy_, now, table_.groups().has(offer.group), "dispatch policy offers group %x: not there",
                      offer.group);
    const GroupLedger::Group& group = table_.groups().at(offer.group);
    const KernelContext& context = group.record->context;
    CASTOR_HOOK_CHECK(policy_, now, context.entry == offer.kd, "dispatch policy offers group %x with entry %u",
                      offer.group, offer.kd);
    next = group.next;
    left = group.total - next;
    CASTOR_HOOK_CHECK(
        policy_, now,
        offer.grid.x == context.grid.x && offer.grid.y == context.grid.y && offer.grid.z == context.grid.z &&
            offer.param == context.parameters && offer.last_of_group == (left == 1),
        "dispatch policy offers group %x with TBs or parameters that do not match the group", offer.group);
  }
  CASTOR_HOOK_CHECK(policy_, now, left > 0 && offer.position == next,
                    "dispatch policy offers position %u of entry %u, %llu is next", offer.position, offer.kd,
                    static_cast<unsigned long long>(next));
}

// Places the next TB of a launch: a kernel or, if `record` belongs to one, a group.
void Dispatcher::place(const LaunchRecord& record, unsigned sm, bool linear, Cycle now) {
  const KernelContext& context = record.context;
  const unsigned entry = context.entry;
  CASTOR_ASSERT_AT(now, placed_at_ != now, "two placements in a cycle");
  CASTOR_ASSERT_AT(now, !table_[entry].killed && governors_.open()[sm], "TB of entry %u placed on closed SM %u", entry,
                   sm);
  ledger_.debit(sm, entry, context.need, now);
  const KernelTable::NextTb tb = table_.place(entry, now, context.group);
  TbStartMessage message;
  message.visible = now + 1;
  message.kernel = &context;
  message.item = context.item();
  message.position = tb.position;
  message.gid = tb.gid;
  message.group = context.group;
  message.level = record.level;
  message.parent_sm = record.parent_sm;
  message.acquire = record.acquire;
  message.divide = linear && (message.item.grid.y > 1 || message.item.grid.z > 1);
  sms_[sm]->start(message);
  placed_at_ = now;
  jobs_.placed(context.queue, tb.last, now);
  if (events_.on()) {
    TbEvent event = tb_event(context, sm, tb.gid);
    event.first = tb.first;
    event.last = tb.last;
    events_.placed(event);
  }
  fcfs_.placed(entry);
  if (context.all_resident && table_[entry].sequencer.left() == 0) starts_.remove(entry);
  if (tb.last) withdraw(entry);
  if (observer_ != nullptr) observer_->tb_placed({now, sm, 0, &context, tb.gid, context.group});
}

// Drops the next TB of a stopped kernel. The policy sees the TB placed now, and retired and counted as complete in a
// later cycle.
void Dispatcher::drop(const KernelContext& context, unsigned sm, Cycle now) {
  const KernelTable::NextTb tb = table_.drop_next(context.entry, context.group);
  TbEvent event = tb_event(context, sm, tb.gid);
  event.first = tb.first;
  event.last = tb.last;
  events_.placed(event);
  event.first = event.last = false;
  retire_.drop(event, now);
  if (tb.last) withdraw(context.entry);
}

unsigned Dispatcher::place_restored(unsigned entry, const SmMask& sms, Cycle now) {
  const unsigned sm = search_.first(sms);
  search_.chosen(sm);
  ledger_.debit(sm, entry, table_[entry].context().need, now);
  placed_at_ = now;
  return sm;
}

SmMask Dispatcher::room_again(unsigned entry) const {
  const TbNeed& need = table_[entry].context().need;
  SmMask room;
  for (unsigned sm = 0; sm < ledger_.sms(); ++sm) room.set(sm, ledger_.fits(sm, need));
  return room;
}

SmMask Dispatcher::sms_for_restored(unsigned entry) const {
  if (starts_.starting() >= 0) return {};
  return within_quota(room_again(entry) & governors_.open(), governors_.quota(), ledger_, entry);
}

// --- Kernels that leave ---------------------------------------------------------------------------------------------

void Dispatcher::withdraw(unsigned entry) {
  ledger_.unwatch(entry);
  fcfs_.remove(entry);
  starts_.remove(entry);
}

void Dispatcher::stop(unsigned entry) {
  withdraw(entry);
  if (!policy_.present()) table_.drop_rest(entry);
}

unsigned Dispatcher::cancel(unsigned queue) {
  unsigned kernels = 0;
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state == EntryState::kFree || kernel.context().queue != queue) continue;
    ++kernels;
    table_.cancel(entry);
    if (kernel.state != EntryState::kWritten) continue;
    withdraw(entry);
    table_.drop_rest(entry);
  }
  return kernels;
}

void Dispatcher::hold_queues(const QueueMask& queues) {
  held_.reset();
  holding_ = false;
  if (queues.none()) return;
  for (const std::uint16_t entry : ledger_.watched()) {
    // No other kernel can run instead of a kernel that owns the machine, so its fill continues.
    const KernelContext& context = table_[entry].context();
    held_[entry] = queues[context.queue] && !context.owned;
    holding_ = holding_ || held_[entry];
  }
}

// --- What others see ------------------------------------------------------------------------------------------------

const KdMask& Dispatcher::show_fits() {
  fits_.reset();
  const DispatchView view = this->view();
  for (const std::uint16_t entry : ledger_.watched()) fits_[entry] = view.takers(entry).any();
  if (!policy_.present()) return fits_;
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.killed && kernel.state == EntryState::kWritten && kernel.to_place() > 0) fits_[entry] = true;
  }
  return fits_;
}

DispatchState Dispatcher::state() const {
  DispatchState state = policy_.present() ? policy_.state() : state_;
  state.waiting = !ledger_.watched().empty();
  if (!state.waiting) state.fits_head = kAllSms;
  return state;
}

DispatchState Dispatcher::built_in_state() const {
  DispatchState state;
  state.ready = !fcfs_.empty();
  if (const int next = fcfs_.next(view(), scan_.on()); next >= 0) {
    state.fits_head = ledger_.fits(static_cast<unsigned>(next));
    // A TB that waits for the others of its grid cannot go to an open SM: a closed one has to open.
    const auto room = grid_room(static_cast<unsigned>(next));
    if (room && *room < table_[static_cast<unsigned>(next)].sequencer.left()) state.fits_head &= ~governors_.open();
  }
  return state;
}

int Dispatcher::ahead_of(unsigned entry) const {
  const int current = policy_.present() ? -1 : fcfs_.current();
  return current == static_cast<int>(entry) ? -1 : current;
}

DispatchWait Dispatcher::rest(Cycle now) {
  placeable_ = false;
  if (policy_.present()) return DispatchWait::kNothing;
  if (scan_.on()) {
    const int oldest = fcfs_.oldest(view());
    scan_.rest(oldest);
    placeable_ = oldest >= 0;
    return fcfs_.empty() || placeable_ ? DispatchWait::kNothing : fcfs_.choose(view(), search_, now).wait;
  }
  if (fcfs_.empty()) return DispatchWait::kNothing;
  // After a placement the dispatcher always runs in the next cycle, because the reason for waiting may differ then.
  placeable_ = placed_at_ == now || fcfs_.pending(view());
  return placeable_ ? DispatchWait::kNothing : fcfs_.choose(view(), search_, now).wait;
}

}  // namespace castor::gpu
